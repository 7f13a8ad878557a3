"""Spellings that language models treat as control tokens.

No base text holds one, and a reply that holds one is not compliant: whatever the judge's model is, its prompt cannot
be closed from within by a chat template's own marks.
"""

from typing import Final

__all__ = ["SPECIAL_TOKENS", "find_special_token"]

# From the published tokenizer configurations and chat templates of the families named, each in canonical form (the
# full-width bars of DeepSeek are ASCII then); part of the profile.
SPECIAL_TOKENS: Final = (
    # OpenAI (tiktoken), GPT-NeoX, Qwen, SmolLM (ChatML), Phi
    "<|endoftext|>",
    "<|endofprompt|>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|im_sep|>",
    "<|start|>",
    "<|end|>",
    "<|message|>",
    "<|channel|>",
    "<|return|>",
    "<|call|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    # Llama 2 and 3, Mistral
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "[TOOL_CALLS]",
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|python_tag|>",
    # Gemma, DeepSeek, GLM, Command R
    "<bos>",
    "<eos>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|begin▁of▁sentence|>",
    "<|end▁of▁sentence|>",
    "<|User|>",
    "<|Assistant|>",
    "[gMASK]",
    "<|observation|>",
    "<|START_OF_TURN_TOKEN|>",
    "<|END_OF_TURN_TOKEN|>",
    # BERT-like encoders and T5, which the embedded reader and others are made of
    "[CLS]",
    "[SEP]",
    "[PAD]",
    "[MASK]",
    "[UNK]",
    "<extra_id_0>",
    # Reasoning marks
    "<think>",
    "</think>",
)


def find_special_token(text: str) -> str | None:
    """Return the first of ``SPECIAL_TOKENS`` whose spelling occurs in ``text``, or None."""
    # Most texts hold neither bracket with a mark after it; the scan of each spelling is then not needed.
    if "<" not in text and "[" not in text:
        return None
    return next((token for token in SPECIAL_TOKENS if token in text), None)
