"""torchmetrics: metrics of classification, regression, retrieval, text and images over batches."""

import torchmetrics
from torchmetrics import MetricCollection, functional

import torch
from report import report

torch.manual_seed(0)
scores, labels = torch.randn(4, 16, 5).softmax(-1), torch.randint(0, 5, (4, 16))
many = {"task": "multiclass", "num_classes": 5}
metrics = MetricCollection(
    {
        "accuracy": torchmetrics.Accuracy(**many),
        "f1": torchmetrics.F1Score(average="macro", **many),
        "auroc": torchmetrics.AUROC(**many),
        "precision": torchmetrics.AveragePrecision(**many),
        "confusion": torchmetrics.ConfusionMatrix(**many),
        "calibration": torchmetrics.CalibrationError(**many),
        "kappa": torchmetrics.CohenKappa(**many),
    }
)
for p, t in zip(scores, labels, strict=True):
    metrics.update(p, t)
results = metrics.compute()
x, y = torch.randn(50), torch.randn(50)
results |= {
    "mse": functional.mean_squared_error(x, y),
    "r2": functional.r2_score(x, x + 0.1 * y),
    "pearson": functional.pearson_corrcoef(x, x + y),
    "spearman": functional.spearman_corrcoef(x, x + y),
    "cosine": functional.cosine_similarity(x.view(5, 10), y.view(5, 10)),
    "ndcg": functional.retrieval_normalized_dcg(x, y > 0),
    "psnr": functional.image.peak_signal_noise_ratio(x.sigmoid(), y.sigmoid(), data_range=1.0),
    "perplexity": functional.text.perplexity(scores.log(), labels),
    "words": functional.text.word_error_rate(["a b c"], ["a c c d"]),
}
images = torch.rand(2, 2, 3, 32, 32)
results["ssim"] = functional.image.structural_similarity_index_measure(*images, data_range=1.0)
running = torchmetrics.MeanMetric()
for value in x:
    running(value)
report(mean=running.compute(), **results)
