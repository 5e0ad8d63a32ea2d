"""keras: networks with the back end torch train, predict, and are saved and loaded."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers

import torch
from report import report

keras.utils.set_random_seed(0)
rows, labels = np.random.rand(32, 4).astype("float32"), np.arange(32) % 3
images = np.random.rand(8, 16, 16, 3).astype("float32")
words, series = np.random.randint(0, 20, (8, 6)), np.random.rand(8, 6, 8).astype("float32")


def trained(model, optimizer, loss, x, y):
    """Return the losses of two epochs and the predictions after them."""
    model.compile(optimizer, loss)
    history = model.fit(x, y, epochs=2, batch_size=8, verbose=0, shuffle=False)
    return [*history.history["loss"], torch.as_tensor(model.predict(x, verbose=0))]


dense = keras.Sequential(
    [
        layers.Input((4,)),
        layers.Dense(8, activation="relu"),
        layers.BatchNormalization(),
        layers.Dense(3, activation="softmax"),
    ]
)
convolutions = keras.Sequential(
    [
        layers.Input((16, 16, 3)),
        layers.Conv2D(4, 3, padding="same", activation="gelu"),
        layers.MaxPooling2D(),
        layers.SeparableConv2D(6, 3),
        layers.GlobalAveragePooling2D(),
        layers.Dense(2),
    ]
)
recurrent = keras.Sequential(
    [
        layers.Input((6,)),
        layers.Embedding(20, 8, mask_zero=True),
        layers.Bidirectional(layers.LSTM(6, return_sequences=True)),
        layers.GRU(4),
        layers.Dense(1),
    ]
)
given = layers.Input((6, 8))
attended = layers.LayerNormalization()(
    layers.Add()([given, layers.MultiHeadAttention(2, 4)(given, given)])
)
attention = keras.Model(given, layers.Dense(1)(layers.Flatten()(attended)))

dense_numbers = trained(dense, "adam", "sparse_categorical_crossentropy", rows, labels)
logits = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
dense.save("dense.keras")
loaded = keras.models.load_model("dense.keras")
x = keras.ops.convert_to_tensor(rows)
report(
    dense=dense_numbers,
    loaded=torch.as_tensor(loaded.predict(rows, verbose=0)),
    convolutions=trained(convolutions, "sgd", logits, images, np.arange(8) % 2),
    recurrent=trained(recurrent, "rmsprop", "mse", words, np.random.rand(8)),
    attention=trained(attention, keras.optimizers.AdamW(1e-2), "mae", series, series[:, 0, 0]),
    operations=[
        keras.ops.einsum("ij,kj->ik", x, x),
        keras.ops.top_k(x, 2)[0],
        keras.ops.logsumexp(x, axis=0),
        keras.ops.image.resize(keras.ops.reshape(x, (1, 8, 16, 1)), (12, 8)),
    ],
)
