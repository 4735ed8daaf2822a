import type { ModelDescription, RelationField } from '../model/model-description.ts'
import type { IncludedSelection, IncludeNode } from '../rule/selection.ts'
import type { Serializer } from '../serializer/serializer.ts'

/** A relation on the way of included paths. */
export interface IncludeSource {
  /** The model of the items that it leads from. */
  readonly model: ModelDescription
  readonly relation: RelationField
  /**
   * Those of the items that it leads to; or of those that it leads from, where the store has to say
   * where it leads (`asksByOwner`).
   */
  readonly ids: Set<string>
  readonly children: readonly IncludeSource[]
  /** False where only the linkage is wanted. */
  readonly isIncluded: boolean
  readonly selection: IncludedSelection | undefined
  /** The included path that it is, as the client spells it. */
  readonly path: string
  /**
   * Whether the linkage is to be told as the items hold it, because elsewhere in the document the
   * relation has a window.
   */
  readonly needsStoredLinkage: boolean
  /**
   * What the items that it leads from hold, where a window without an order of its own keeps
   * theirs.
   */
  readonly storedLinkage: Map<string, readonly string[]>
}

export function isReadByOwner({ relation, selection }: IncludeSource): boolean {
  return relation.kind === 'inverse' || selection !== undefined
}

/**
 * The sources that the primary items feed. An item that is met again further down a path stands in
 * the document once, as primary data, and is written before that is known: where full linkage is
 * wanted, what is asked of its relations further down is told from the start.
 * @param path what included paths begin with before they come to the tree, with a dot at its end
 */
export function includeSources(
  primary: ModelDescription,
  tree: readonly IncludeNode[],
  path: string,
  linkage: Serializer['linkage'],
): readonly IncludeSource[] {
  const windowed = linkage === 'full' ? relationsWithSelection(tree) : noRelations
  const sources = tree.map((node) => includeSource(primary, node, path, windowed))
  if (linkage === 'owned') return sources
  const further = nestedNodes(tree, primary, path).filter(({ node }) => addsLinkage(node, tree))
  const distinct = further.filter(
    ({ node }, index) => further.findIndex((one) => isSameSelection(one.node, node)) === index,
  )
  return [
    ...sources,
    ...distinct.map(({ node, pathPrefix }): IncludeSource => ({
      ...includeSource(primary, { ...node, children: [] }, pathPrefix, windowed),
      isIncluded: false,
    })),
  ]
}

const noRelations: ReadonlySet<RelationField> = new Set()

/** The relations that have a window somewhere. */
function relationsWithSelection(tree: readonly IncludeNode[]): ReadonlySet<RelationField> {
  const found = tree.flatMap((node) => [
    ...(node.selection ? [node.relation] : []),
    ...relationsWithSelection(node.children),
  ])
  return found.length === 0 ? noRelations : new Set(found)
}

function includeSource(
  model: ModelDescription,
  { relation, children, selection }: IncludeNode,
  start: string,
  windowed: ReadonlySet<RelationField>,
): IncludeSource {
  const path = start + relation.wireName
  return {
    model,
    relation,
    ids: new Set(),
    children: children.map((child) =>
      includeSource(relation.relatedModel, child, `${path}.`, windowed),
    ),
    isIncluded: true,
    selection,
    path,
    needsStoredLinkage:
      relation.kind === 'toMany' && selection === undefined && windowed.has(relation),
    storedLinkage: new Map(),
  }
}

interface NestedNode {
  readonly node: IncludeNode
  /** The path to it. */
  readonly pathPrefix: string
}

/** The relations of the primary model further down. */
function nestedNodes(
  tree: readonly IncludeNode[],
  primary: ModelDescription,
  start: string,
): readonly NestedNode[] {
  return tree.flatMap(({ relation, children }) => {
    const next = `${start}${relation.wireName}.`
    const here =
      relation.relatedModel === primary ? children.map((node) => ({ node, pathPrefix: next })) : []
    return [...here, ...nestedNodes(children, primary, next)]
  })
}

/** Would what is asked further down tell more of a primary item than it tells anyway? */
function addsLinkage(node: IncludeNode, tree: readonly IncludeNode[]): boolean {
  const { relation } = node
  const same = tree.filter((one) => one.relation === relation)
  if (relation.kind === 'toOne' || same.some((one) => isSameSelection(one, node))) return false
  // Without a window at its start, an item tells what it holds.
  return relation.kind === 'inverse'
    ? same.every((one) => one.selection)
    : same.length > 0 && same.every((one) => one.selection)
}

function isSameSelection(one: IncludeNode, other: IncludeNode): boolean {
  return (
    one.relation === other.relation &&
    JSON.stringify(one.selection) === JSON.stringify(other.selection)
  )
}
