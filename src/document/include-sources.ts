import type { ModelDescription, RelationField } from '../model/model-description.ts'
import type { IncludedSelection, IncludeNode } from '../rule/selection.ts'
import type { Serializer } from '../serializer/serializer.ts'

/** A relation on an include path. */
export interface IncludeSource {
  /** The model of the owners. */
  readonly model: ModelDescription
  readonly relation: RelationField
  /**
   * The ids of the related items; or of their owners, where the store looks up the relation
   * (`isReadByOwner`).
   */
  readonly ids: Set<string>
  readonly children: readonly IncludeSource[]
  /** False where the document needs only the linkage. */
  readonly isIncluded: boolean
  readonly selection: IncludedSelection | undefined
  /** The include path as the client wrote it. */
  readonly path: string
  /**
   * Whether the document shows all stored ids, although another include path shows a page of the
   * same relation.
   */
  readonly needsStoredLinkage: boolean
  /** The stored ids by owner. A page without a sort keeps their order. */
  readonly storedLinkage: Map<string, readonly string[]>
}

export function isReadByOwner({ relation, selection }: IncludeSource): boolean {
  return relation.kind === 'inverse' || selection !== undefined
}

/**
 * The sources of the primary items. A primary item that an include path reaches again stands in the
 * document once, and is written before that is known. With full linkage, the linkage that deeper
 * paths need is therefore collected from the start.
 * @param path the part of the include paths before the tree, with a dot at its end
 */
export function includeSources(
  primary: ModelDescription,
  tree: readonly IncludeNode[],
  path: string,
  linkage: Serializer['linkage'],
): readonly IncludeSource[] {
  const pagedRelations = linkage === 'full' ? relationsWithSelection(tree) : noRelations
  const sources = tree.map((node) => includeSource(primary, node, path, pagedRelations))
  if (linkage === 'owned') return sources
  const nested = nestedNodes(tree, primary, path).filter(({ node }) => addsLinkage(node, tree))
  const distinct = nested.filter(
    ({ node }, index) => nested.findIndex((first) => isSameSelection(first.node, node)) === index,
  )
  return [
    ...sources,
    ...distinct.map(
      ({ node, pathPrefix }): IncludeSource => ({
        ...includeSource(primary, { ...node, children: [] }, pathPrefix, pagedRelations),
        isIncluded: false,
      }),
    ),
  ]
}

const noRelations: ReadonlySet<RelationField> = new Set()

/** The relations of which the request selects a page anywhere. */
function relationsWithSelection(tree: readonly IncludeNode[]): ReadonlySet<RelationField> {
  const relations = tree.flatMap((node) => [
    ...(node.selection ? [node.relation] : []),
    ...relationsWithSelection(node.children),
  ])
  return relations.length === 0 ? noRelations : new Set(relations)
}

function includeSource(
  model: ModelDescription,
  { relation, children, selection }: IncludeNode,
  pathPrefix: string,
  pagedRelations: ReadonlySet<RelationField>,
): IncludeSource {
  const path = pathPrefix + relation.wireName
  return {
    model,
    relation,
    ids: new Set(),
    children: children.map((child) =>
      includeSource(relation.relatedModel, child, `${path}.`, pagedRelations),
    ),
    isIncluded: true,
    selection,
    path,
    needsStoredLinkage:
      relation.kind === 'toMany' && selection === undefined && pagedRelations.has(relation),
    storedLinkage: new Map(),
  }
}

/** A node deeper in the tree, and the path to it. */
interface NestedNode {
  readonly node: IncludeNode
  readonly pathPrefix: string
}

/** The relations of the primary model deeper in the tree. */
function nestedNodes(
  tree: readonly IncludeNode[],
  primary: ModelDescription,
  pathPrefix: string,
): readonly NestedNode[] {
  return tree.flatMap(({ relation, children }) => {
    const nextPrefix = `${pathPrefix}${relation.wireName}.`
    const ownNodes =
      relation.relatedModel === primary
        ? children.map((node) => ({ node, pathPrefix: nextPrefix }))
        : []
    return [...ownNodes, ...nestedNodes(children, primary, nextPrefix)]
  })
}

/** Whether a deeper selection shows linkage of a primary item that its own level does not show. */
function addsLinkage(node: IncludeNode, tree: readonly IncludeNode[]): boolean {
  const { relation } = node
  const sameRelation = tree.filter((first) => first.relation === relation)
  if (relation.kind === 'toOne' || sameRelation.some((first) => isSameSelection(first, node)))
    return false
  // Without a selection on its own level, an item shows what it holds.
  return relation.kind === 'inverse'
    ? sameRelation.every((first) => first.selection)
    : sameRelation.length > 0 && sameRelation.every((first) => first.selection)
}

function isSameSelection(first: IncludeNode, other: IncludeNode): boolean {
  return (
    first.relation === other.relation &&
    JSON.stringify(first.selection) === JSON.stringify(other.selection)
  )
}
