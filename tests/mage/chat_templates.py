"""Chat templates of several families, reduced to what sets turns apart, on a small tokenizer that works on bytes.

The control tokens and where they stand are those of the families; what the originals have for tools and pictures is
left out. `REFUSED` are templates that no append-only context can be put together from.
"""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from tests.mage.small_models import byte_tokenizer


@dataclass(frozen=True, slots=True)
class Template:
    text: str
    tokens: tuple[str, ...]
    begin: str | None = None  # the tokenizer's beginning of text
    prepends: bool = False  # whether the tokenizer itself puts it before what it encodes


IM = ("<|im_start|>", "<|im_end|>")
CHATML_BODY = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
DEFAULT_SYSTEM = (
    "{% if messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}{% endif %}"
)
QWEN3 = (
    "{% set last = namespace(user=-1) %}"
    "{% for m in messages %}{% if m['role'] == 'user' %}{% set last.user = loop.index0 %}{% endif %}{% endfor %}"
    "{% for m in messages %}{% if m['role'] == 'assistant' %}"
    "{% set said = m['content'].split('</think>')[-1].lstrip('\n') %}"
    "{% set thought = '' %}{% if '</think>' in m['content'] %}"
    "{% set thought = m['content'].split('</think>')[0].split('<think>')[-1].strip('\n') %}{% endif %}"
    "{% if loop.index0 > last.user %}"
    "{{ '<|im_start|>assistant\n<think>\n' + thought + '\n</think>\n\n' + said + '<|im_end|>\n' }}"
    "{% else %}{{ '<|im_start|>assistant\n' + said + '<|im_end|>\n' }}{% endif %}"
    "{% else %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{{ after }}{% endif %}"
)
DEEPSEEK = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ m['content'] }}{% endif %}{% endfor %}"
    "{% for m in messages %}{% if m['role'] == 'user' %}{{ '<|User|>' + m['content'] }}"
    "{% elif m['role'] == 'assistant' %}"
    "{{ '<|Assistant|>' + m['content'].split('</think>')[-1].lstrip('\n') + '<|end_of_sentence|>' }}"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|Assistant|><think>\n' }}{% endif %}"
)
LLAMA3 = (
    "{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    "{{ bos_token }}{% set system = '' %}{% if messages[0]['role'] == 'system' %}"
    "{% set system = messages[0]['content'] | trim %}{% set messages = messages[1:] %}{% endif %}"
    "{{ '<|start_header_id|>system<|end_header_id|>\n\nToday Date: ' + date_string + '\n\n' + system + '<|eot_id|>' }}"
    "{% for m in messages %}"
    "{{ '<|start_header_id|>' + m['role'] + '<|end_header_id|>\n\n' + m['content'] | trim + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)
GEMMA = (
    "{{ bos_token }}"
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{% set role = 'model' if m['role'] == 'assistant' else m['role'] %}"
    "{{ '<start_of_turn>' + role + '\n' + m['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)
# The system text stands in the last turn, wherever that is by now.
MISTRAL = (
    "{{ bos_token }}{% set system = '' %}{% if messages[0]['role'] == 'system' %}"
    "{% set system = messages[0]['content'] + '\n\n' %}{% set messages = messages[1:] %}{% endif %}"
    "{% for m in messages %}{% if m['role'] == 'user' %}"
    "{{ '[INST] ' + (system if loop.last else '') + m['content'] + ' [/INST]' }}"
    "{% else %}{{ ' ' + m['content'] + '</s>' }}{% endif %}{% endfor %}"
)
ZEPHYR = (
    "{% for m in messages %}{{ '<|' + m['role'] + '|>\n' + m['content'] + '</s>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %}"
)
PHI3 = (
    "{% for m in messages %}{{ '<|' + m['role'] + '|>\n' + m['content'] + '<|end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ '<|endoftext|>' }}{% endif %}"
)
LLAMA3_TOKENS = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
DEEPSEEK_TOKENS = ("<|begin_of_sentence|>", "<|User|>", "<|Assistant|>", "<|end_of_sentence|>", "<think>", "</think>")

FAMILIES = {
    "chatml": Template(CHATML_BODY, IM),
    "smollm2": Template(DEFAULT_SYSTEM + CHATML_BODY, IM, "<|im_start|>"),
    "qwen3": Template(QWEN3, (*IM, "<think>", "</think>")),
    "qwen3-thinking": Template(QWEN3.replace("{{ after }}", "{{ '<think>\n' }}"), (*IM, "<think>", "</think>")),
    "qwen3-skipping": Template(QWEN3.replace("{{ after }}", "{{ '<think>\n\n</think>\n\n' }}"), IM),
    "deepseek-r1": Template(DEEPSEEK, DEEPSEEK_TOKENS, "<|begin_of_sentence|>", prepends=True),
    "llama3": Template(LLAMA3, LLAMA3_TOKENS, "<|begin_of_text|>", prepends=True),
    "gemma": Template(GEMMA, ("<bos>", "<start_of_turn>", "<end_of_turn>", "\n\n"), "<bos>", prepends=True),
    "mistral": Template(MISTRAL, ("<bos>", "[INST]", "[/INST]", "</s>"), "<bos>", prepends=True),
    "zephyr": Template(ZEPHYR, ("<bos>", "</s>"), "<bos>", prepends=True),
    "phi3": Template(PHI3, ("<|user|>", "<|assistant|>", "<|system|>", "<|end|>", "<|endoftext|>"), "<|endoftext|>"),
}


def _altered(old: str, new: str) -> Template:
    """The first family with a piece of its template replaced."""
    assert old in CHATML_BODY
    return Template(CHATML_BODY.replace(old, new), IM)


REFUSED = {
    "gives 'The text one": _altered("+ m['content']", "+ m['content'] + m['content']"),
    "doesn't give 'The text one": _altered("+ m['content']", "+ m['content'] | upper"),
    "unchanged and in order": _altered("in messages %}", "in messages | reverse %}"),
    "back unchanged": _altered("+ m['content']", "+ m['content'] | tojson"),
    "stops with 'no assistant here'": _altered(
        "{{ '<|im_start|>' + m",
        "{% if m['role'] == 'assistant' %}{{ raise_exception('no assistant here') }}{% endif %}{{ '<|im_start|>' + m",
    ),
    "stops with": _altered("+ m['content']", "+ tools[0] + m['content']"),
    "asks what day it is": _altered("{% for m", "{{ strftime_now('%d %b %Y') }}{% for m"),
    "sets turns apart by": _altered("+ m['content']", "+ loop.index | string + m['content']"),
    "doesn't begin with a control token": _altered("<|im_end|>\n' }}", "\n' }}"),
    "has it written after '<|im_end|>\\n<|im_start|>model\\n'": _altered("assistant\n", "model\n"),
}  # by what the error says


def tokenizer_of(template: Template) -> PreTrainedTokenizerFast:
    tokenizer = byte_tokenizer()
    tokenizer.bos_token = None
    tokenizer.add_tokens(list(template.tokens), special_tokens=True)
    tokenizer.chat_template = template.text
    if template.begin is not None:
        tokenizer.bos_token = template.begin
    if template.prepends:
        begin = (template.begin, tokenizer.bos_token_id)
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(f"{template.begin} $A", special_tokens=[begin])
    return tokenizer
