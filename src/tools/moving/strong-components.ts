/**
 * The strongly connected components of a graph (Tarjan): nodes that lead to one another stand
 * together, and each component comes after those that it leads to.
 */
export function strongComponents<Node>(
  nodes: readonly Node[],
  targetsOf: (node: Node) => readonly Node[],
): readonly (readonly Node[])[] {
  const components: Node[][] = []
  const numbers = new Map<Node, number>()
  const stack: Node[] = []
  const visit = (node: Node): number => {
    const number = numbers.size
    let lowest = number
    numbers.set(node, number)
    stack.push(node)
    for (const target of targetsOf(node)) {
      if (!numbers.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, numbers.get(target)!)
    }
    if (lowest === number) components.push(stack.splice(stack.indexOf(node)))
    return lowest
  }
  for (const node of nodes) if (!numbers.has(node)) visit(node)
  return components
}
