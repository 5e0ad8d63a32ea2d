"""pytorch-tabnet: a classifier and a regressor train on made-up tables, and explain themselves."""

import numpy
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor

import torch
from report import report

numpy.random.seed(0)
x = numpy.random.randn(128, 6).astype("float32")
labels = (x[:, 0] + x[:, 1] > 0).astype("int64")
options = {"n_d": 4, "n_a": 4, "n_steps": 2, "seed": 0, "verbose": 0, "device_name": "cpu"}
fit = {"max_epochs": 3, "batch_size": 32, "virtual_batch_size": 16, "drop_last": False}
classifier = TabNetClassifier(**options)
classifier.fit(x, labels, eval_set=[(x, labels)], eval_metric=["accuracy"], **fit)
regressor = TabNetRegressor(**options)
fit["max_epochs"] = 1  # after three, PyTorch differs by 0.1 % from itself on inputs off by an ulp
regressor.fit(x, x.sum(1, keepdims=True), **fit)
explained, _ = classifier.explain(x[:8])
report(
    losses=classifier.history["loss"],
    errors=regressor.history["loss"],
    chances=torch.from_numpy(classifier.predict_proba(x[:8])),
    values=torch.from_numpy(regressor.predict(x[:8])),
    importance=torch.from_numpy(classifier.feature_importances_),
    explained=torch.from_numpy(explained),
)
