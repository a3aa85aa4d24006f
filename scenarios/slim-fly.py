# Writes the Slim Fly of 50 switches with 3 hosts each (McKay, Miller & Siran 1998; Besta & Hoefler 2014),
# adversarial traffic, and a routing of its own: at its first switch a packet may take any link.
from itertools import product
q, p = 5, 3
squares, others = {1, 4}, {2, 3}  # the quadratic residues modulo 5, and the rest
switches = list(product((0, 1), range(q), range(q)))
node = {switch: len(switches) * p + place for place, switch in enumerate(switches)}  # hosts come first

def linked(one, other):
    (part, x, y), (part_of_other, m, c) = sorted((one, other))
    if part != part_of_other:
        return y == (m * x + c) % q
    return x == m and (y - c) % q in (others if part else squares)

beside = {a: [b for b in switches if b != a and linked(a, b)] for a in switches}
distance = {(a, b): 0 if a == b else 1 if b in beside[a] else 2 for a in switches for b in switches}

with open("slim-fly-links.txt", "w") as file:
    for host in range(len(switches) * p):
        print(host, len(switches) * p + host // p, file=file)
    for a, b in product(switches, switches):
        if a < b and linked(a, b):
            print(node[a], node[b], file=file)

with open("slim-fly-destinations.txt", "w") as file:
    for host in range(len(switches) * p):
        print((host + len(switches) * p // 2) % (len(switches) * p), file=file)

with open("slim-fly-routes.txt", "w") as file:
    print("routes hop 3", file=file)  # the class is the number of links passed
    for at, to in product(switches, switches):
        nearer = [b for b in beside[at] if distance[b, to] < distance[at, to]]
        detours = [b for b in beside[at] if b not in nearer]
        if at != to:
            print(f"{node[at]}/i {node[to]} :", *(f"{node[b]}/0" for b in nearer + detours), file=file)
            print(f"{node[at]}/0 {node[to]} :", *(f"{node[b]}/1" for b in nearer), file=file)
        if distance[at, to] == 1:
            print(f"{node[at]}/1 {node[to]} : {node[to]}/2", file=file)
