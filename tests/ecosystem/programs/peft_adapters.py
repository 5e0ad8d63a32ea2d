"""peft: LoRA, IA3 and prompt tuning of a small GPT-2 train only their own weights; LoRA merges."""

from peft import IA3Config, LoraConfig, PromptTuningConfig, TaskType, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

import torch
from report import report


def train(adapter):
    """Return the losses of a few steps, and the model."""
    torch.manual_seed(0)
    sizes = {"n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}
    config = GPT2Config(vocab_size=64, bos_token_id=0, eos_token_id=0, **sizes)
    model = get_peft_model(GPT2LMHeadModel(config), adapter)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-2)
    words = torch.randint(0, 64, (4, 12))
    losses = []
    for _ in range(3):
        loss = model(input_ids=words, attention_mask=torch.ones_like(words), labels=words).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return model.eval(), words, [*losses, sum(p.numel() for p in trained)]


task = TaskType.CAUSAL_LM
lora, words, lora_losses = train(LoraConfig(task_type=task, r=4, lora_dropout=0.1))
with torch.no_grad():
    before = lora(input_ids=words).logits
    merged = lora.merge_and_unload()(input_ids=words).logits
prompt = PromptTuningConfig(task_type=task, num_virtual_tokens=4)
dora = LoraConfig(task_type=task, r=4, use_dora=True)
report(
    lora=lora_losses,
    before=before,
    merged=merged,
    ia3=train(IA3Config(task_type=task))[2],
    prompt=train(prompt)[2],
    dora=train(dora)[2],
)
