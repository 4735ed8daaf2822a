import type { ModelDescription, RelationField } from '../model/description.ts'
import type { IncludedWindow, IncludeNode } from '../rule/selection.ts'
import type { Serializer } from '../serializer/serializer.ts'

/** A relation on the way of included paths. */
export interface Source {
  /** The model of the items that it leads from. */
  readonly model: ModelDescription
  readonly relation: RelationField
  /** Those of the items that it leads to; or of those that it leads from, where the store has to say where it leads (`asksByOwner`). */
  readonly ids: Set<string>
  readonly children: readonly Source[]
  /** False where only the linkage is wanted. */
  readonly included: boolean
  readonly window: IncludedWindow | undefined
  /** The included path that it is, as the client spells it. */
  readonly path: string
  /** Whether the linkage is to be told as the items hold it, because elsewhere in the document the relation has a window. */
  readonly tellsHeld: boolean
  /** What the items that it leads from hold, where a window without an order of its own keeps theirs. */
  readonly held: Map<string, readonly string[]>
}

export function asksByOwner({ relation, window }: Source): boolean {
  return relation.kind === 'inverse' || window !== undefined
}

/**
 * The sources that the primary items feed. An item that is met again further down a path stands in the document once, as primary data, and is
 * written before that is known: where full linkage is wanted, what is asked of its relations further down is told from the start.
 * @param path what included paths begin with before they come to the tree, with a dot at its end
 */
export function sourcesOf(
  primary: ModelDescription,
  tree: readonly IncludeNode[],
  path: string,
  linkage: Serializer['linkage'],
): readonly Source[] {
  const windowed = linkage === 'full' ? windowedIn(tree) : none
  const sources = tree.map((node) => sourceOf(primary, node, path, windowed))
  if (linkage === 'owned') return sources
  const further = below(tree, primary, path).filter(({ node }) => isUntold(node, tree))
  const distinct = further.filter(({ node }, index) => further.findIndex((one) => asksAlike(one.node, node)) === index)
  return [
    ...sources,
    ...distinct.map(({ node, start }) => ({
      ...sourceOf(primary, { ...node, children: [] }, start, windowed),
      included: false,
    })),
  ]
}

const none: ReadonlySet<RelationField> = new Set()

/** The relations that have a window somewhere. */
function windowedIn(tree: readonly IncludeNode[]): ReadonlySet<RelationField> {
  const found = tree.flatMap((node) => [...(node.window ? [node.relation] : []), ...windowedIn(node.children)])
  return found.length === 0 ? none : new Set(found)
}

function sourceOf(
  model: ModelDescription,
  { relation, children, window }: IncludeNode,
  start: string,
  windowed: ReadonlySet<RelationField>,
): Source {
  const path = start + relation.wire
  return {
    model,
    relation,
    ids: new Set(),
    children: children.map((child) => sourceOf(relation.target, child, `${path}.`, windowed)),
    included: true,
    window,
    path,
    tellsHeld: relation.kind === 'toMany' && window === undefined && windowed.has(relation),
    held: new Map(),
  }
}

interface Below {
  readonly node: IncludeNode
  /** The path to it. */
  readonly start: string
}

/** The relations of the primary model further down. */
function below(tree: readonly IncludeNode[], primary: ModelDescription, start: string): readonly Below[] {
  return tree.flatMap(({ relation, children }) => {
    const next = `${start}${relation.wire}.`
    const here = relation.target === primary ? children.map((node) => ({ node, start: next })) : []
    return [...here, ...below(children, primary, next)]
  })
}

/** Would what is asked further down tell more of a primary item than it tells anyway? */
function isUntold(node: IncludeNode, tree: readonly IncludeNode[]): boolean {
  const { relation } = node
  const same = tree.filter((one) => one.relation === relation)
  if (relation.kind === 'toOne' || same.some((one) => asksAlike(one, node))) return false
  // Without a window at its start, an item tells what it holds.
  return relation.kind === 'inverse'
    ? same.every((one) => one.window)
    : same.length > 0 && same.every((one) => one.window)
}

function asksAlike(one: IncludeNode, other: IncludeNode): boolean {
  return one.relation === other.relation && JSON.stringify(one.window) === JSON.stringify(other.window)
}
