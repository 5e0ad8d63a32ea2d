"""stable-baselines3: PPO, A2C, DQN and SAC learn on small environments."""

import gymnasium
import numpy
from stable_baselines3 import A2C, DQN, PPO, SAC

import torch
from report import report

torch.set_num_threads(1)


class Line(gymnasium.Env):
    """Walk along a line to the right end; the action is a step, or a force."""

    def __init__(self, continuous=False):
        self.observation_space = gymnasium.spaces.Box(-1, 1, (3,), numpy.float32)
        box = gymnasium.spaces.Box(-1, 1, (1,), numpy.float32)
        self.action_space = box if continuous else gymnasium.spaces.Discrete(2)

    def _state(self):
        return numpy.array([self.place, self.place**2, self.time / 20], numpy.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = -0.5, 0
        return self._state(), {}

    def step(self, action):
        move = 0.1 * float(
            numpy.asarray(action).flat[0] - (0.5 if self.action_space.shape == () else 0)
        )
        self.place, self.time = float(numpy.clip(self.place + move, -1, 1)), self.time + 1
        return self._state(), self.place, self.time >= 20, False, {}


def learn(kind, continuous=False, **options):
    """Return the sums of the parameters after learning, and predicted actions."""
    model = kind("MlpPolicy", Line(continuous), seed=0, device="cpu", **options)
    model.learn(64)
    states = numpy.linspace(-1, 1, 12, dtype=numpy.float32).reshape(4, 3)
    actions, _ = model.predict(states, deterministic=True)
    weights = [p.double().abs().sum() for p in model.policy.parameters()]
    return [*weights, torch.as_tensor(actions)]


report(
    ppo=learn(PPO, n_steps=32, batch_size=16, n_epochs=2),
    a2c=learn(A2C),
    dqn=learn(DQN, learning_starts=16, batch_size=8),
    sac=learn(SAC, True, learning_starts=32, batch_size=8),
)
