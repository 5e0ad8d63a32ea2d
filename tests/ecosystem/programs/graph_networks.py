"""torch_geometric: graph convolutions, attention and pooling train on made-up graphs."""

from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_mean_pool
from torch_geometric.utils import add_self_loops, degree, to_undirected

import torch
from report import report
from torch import nn

torch.manual_seed(0)
edges = to_undirected(torch.randint(0, 12, (2, 30)))
graph = Data(x=torch.randn(12, 6), edge_index=edges, y=torch.arange(12) % 3)


def train(first, second):
    """Return the losses of a few steps and the scores."""
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-2)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        hidden = first(graph.x, graph.edge_index).relu()
        scores = second(hidden, graph.edge_index)
        loss = nn.functional.cross_entropy(scores, graph.y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return [*losses, scores]


torch.manual_seed(1)
network = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16))
small = Data(x=torch.randn(4, 6), edge_index=torch.tensor([[0, 1], [1, 2]]), y=torch.zeros(4))
batch = Batch.from_data_list([graph, small])
report(
    gcn=train(GCNConv(6, 16), GCNConv(16, 3)),
    gat=train(GATConv(6, 8, heads=2), GATConv(16, 3)),
    sage=train(SAGEConv(6, 16), SAGEConv(16, 3, aggr="max")),
    gin=train(GINConv(network), GCNConv(16, 3)),
    pooled=global_mean_pool(batch.x, batch.batch),
    degrees=degree(edges[0], 12),
    loops=add_self_loops(edges)[0],
)
