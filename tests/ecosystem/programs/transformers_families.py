"""transformers: small T5, ViT, CLIP, Whisper, Mistral and Wav2Vec2 models compute and train."""

from transformers import (
    CLIPConfig,
    CLIPModel,
    MistralConfig,
    MistralForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
    Wav2Vec2Config,
    Wav2Vec2ForCTC,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

import torch
from report import report

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}


def trained(make, **inputs):
    """Return the losses of two steps of a model made from a seed."""
    torch.manual_seed(0)
    model = make().train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    optimizer, losses = torch.optim.SGD(model.parameters(), 1e-2), []
    for _ in range(2):
        loss = model(**inputs).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return model.eval(), losses


torch.manual_seed(1)
words, images = torch.randint(3, 60, (2, 7)), torch.rand(2, 3, 16, 16)
t5, t5_losses = trained(
    lambda: T5ForConditionalGeneration(
        T5Config(
            vocab_size=60,
            d_model=32,
            d_kv=8,
            d_ff=64,
            num_layers=2,
            num_heads=4,
            dropout_rate=0.0,
            decoder_start_token_id=0,
        )
    ),
    input_ids=words,
    labels=words,
)
_, vit_losses = trained(
    lambda: ViTForImageClassification(
        ViTConfig(image_size=16, patch_size=4, num_labels=3, **SMALL)
    ),
    pixel_values=images,
    labels=torch.tensor([0, 2]),
)
_, clip_losses = trained(
    lambda: CLIPModel(
        CLIPConfig(
            text_config={
                "vocab_size": 60,
                "max_position_embeddings": 8,
                "eos_token_id": 59,
                **SMALL,
            },
            vision_config={"image_size": 16, "patch_size": 4, **SMALL},
            projection_dim=16,
        )
    ),
    input_ids=words,
    pixel_values=images,
    return_loss=True,
)
_, whisper_losses = trained(
    lambda: WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=60,
            num_mel_bins=8,
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_source_positions=10,
            max_target_positions=16,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        )
    ),
    input_features=torch.rand(2, 8, 20),
    labels=words,
)
mistral, mistral_losses = trained(
    lambda: MistralForCausalLM(
        MistralConfig(
            vocab_size=60,
            num_key_value_heads=2,
            sliding_window=4,
            max_position_embeddings=32,
            pad_token_id=0,
            **SMALL,
        )
    ),
    input_ids=words,
    labels=words,
)
_, speech_losses = trained(
    lambda: Wav2Vec2ForCTC(
        Wav2Vec2Config(
            vocab_size=12,
            conv_dim=(16, 16),
            conv_stride=(4, 2),
            conv_kernel=(8, 3),
            num_feat_extract_layers=2,
            num_conv_pos_embeddings=8,
            num_conv_pos_embedding_groups=2,
            mask_time_prob=0.0,
            layerdrop=0.0,
            **SMALL,
        )
    ),
    input_values=torch.rand(2, 200),
    labels=torch.randint(1, 12, (2, 4)),
)
report(
    t5=t5_losses,
    t5_words=t5.generate(words, max_new_tokens=6, do_sample=False).float(),
    t5_beams=t5.generate(words, max_new_tokens=6, num_beams=3, do_sample=False).float(),
    vit=vit_losses,
    clip=clip_losses,
    whisper=whisper_losses,
    mistral=mistral_losses,
    mistral_words=mistral.generate(words[:, :6], max_new_tokens=6, do_sample=False).float(),
    speech=speech_losses,
)
