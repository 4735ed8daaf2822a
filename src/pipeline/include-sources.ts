import type { ModelDescription, RelationField } from '../model/description.ts'
import type { IncludeNode } from '../rule/selection.ts'
import type { Serializer } from '../serializer/serializer.ts'

/** A relation on the way of included paths: its ids are those it leads to, or for an inverse relation those it comes from. */
export interface Source {
  readonly relation: RelationField
  readonly ids: Set<string>
  readonly children: readonly Source[]
  /** False where only the linkage is wanted. */
  readonly included: boolean
}

/**
 * The sources that the primary items feed. An item that is met again further down a path stands in the document once, as primary data, and is
 * written before that is known: where full linkage is wanted, its inverse relations of further down are told from the start.
 */
export function sourcesOf(
  primary: ModelDescription,
  tree: readonly IncludeNode[],
  linkage: Serializer['linkage'],
): readonly Source[] {
  const sources = tree.map(sourceOf)
  if (linkage === 'owned') return sources
  const told = new Set(tree.map((node) => node.relation))
  const further = new Set(tree.flatMap((node) => inversesBelow(node, primary)).filter((one) => !told.has(one)))
  return [...sources, ...[...further].map((relation) => source(relation, [], false))]
}

function sourceOf({ relation, children }: IncludeNode): Source {
  return source(relation, children.map(sourceOf), true)
}

function source(relation: RelationField, children: readonly Source[], included: boolean): Source {
  return { relation, ids: new Set(), children, included }
}

function inversesBelow({ relation, children }: IncludeNode, model: ModelDescription): readonly RelationField[] {
  const here = relation.target === model ? children.map((child) => child.relation) : []
  return [...here.filter((one) => one.kind === 'inverse'), ...children.flatMap((child) => inversesBelow(child, model))]
}
