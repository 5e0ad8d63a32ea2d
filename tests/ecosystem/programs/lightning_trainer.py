"""lightning: its Trainer fits, validates and tests a module, with accumulation, a schedule and a checkpoint."""

import tempfile

import lightning

import torch
from report import report
from torch.utils.data import DataLoader, TensorDataset

lightning.seed_everything(0, verbose=False)
x = torch.randn(64, 6)
data = DataLoader(TensorDataset(x, (x.sum(1) > 0).long()), batch_size=16)


class Classifier(lightning.LightningModule):
    """A small classifier that keeps its losses."""

    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 2)
        )
        self.losses = []

    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss)
        self.losses.append(loss.detach())
        return loss

    def validation_step(self, batch, index):
        self.log("score", (self.net(batch[0]).argmax(1) == batch[1]).float().mean())

    test_step = validation_step

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]


with tempfile.TemporaryDirectory() as folder:
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        default_root_dir=folder,
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        **quiet,
    )
    model = Classifier()
    trainer.fit(model, data, data)
    scores = trainer.test(model, data, verbose=False)
    trainer.save_checkpoint(f"{folder}/model.ckpt")
    again = Classifier.load_from_checkpoint(f"{folder}/model.ckpt", weights_only=False)
report(losses=model.losses, score=scores[0]["score"], output=again.net(x[:4]))
