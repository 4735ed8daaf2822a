import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { RelationField } from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { IncludedSelection, IncludeNode } from '../selection.ts'
import { joinNames } from './resolve-wire-path.ts'

/** An included relation, while paths are added to the tree and windows to its nodes. */
export interface IncludeTreeNode {
  readonly relation: RelationField
  readonly children: IncludeTree
  selection: IncludedSelection | undefined
}

/** By wire name. */
export type IncludeTree = Map<string, IncludeTreeNode>

/** What paths start from. */
export interface IncludeRoot {
  readonly view: ModelView
  /** The one relation that paths begin with, where an answer is about that alone. */
  readonly onlyRelation: RelationField | undefined
}

/** Adds the relations of one path to the tree, where paths with a common start share it. */
export function addIncludePath(
  tree: IncludeTree,
  views: ModelViews,
  { view: start, onlyRelation }: IncludeRoot,
  path: string,
  { maxRelationDepth }: RouterLimits,
): readonly Problem[] {
  const source = { parameter: 'include' }
  const wires = path.split('.')
  if (wires.length > maxRelationDepth) {
    return [
      problem(
        'limit-exceeded',
        `'${truncate(path)}' is longer than ${maxRelationDepth} relations.`,
        source,
        {
          limit: maxRelationDepth,
        },
      ),
    ]
  }
  let view = start
  let level = tree
  for (const wire of wires) {
    const open = level === tree && onlyRelation ? [onlyRelation] : readableRelations(view)
    const relation = open.find((one) => one.wireName === wire)
    if (!relation) {
      const known = joinNames(open.map((one) => one.wireName))
      const detail = `'${truncate(path)}' cannot be included: '${view.model.name}' has no relation '${truncate(wire)}'; it has ${known || 'none'}.`
      return [problem('invalid-include', detail, source)]
    }
    const node = level.get(wire) ?? { relation, children: new Map(), selection: undefined }
    level.set(wire, node)
    level = node.children
    view = views.of(relation.relatedModel)
  }
  return []
}

/** The relation that a dotted path leads to, if it is in the tree. */
export function findIncludeNode(tree: IncludeTree, path: string): IncludeTreeNode | undefined {
  let level: IncludeTree | undefined = tree
  let node: IncludeTreeNode | undefined
  for (const wire of path.split('.')) {
    node = level?.get(wire)
    level = node?.children
  }
  return node
}

/** Every path of the tree, the shorter ones before those that go on from them. */
export function includePathsIn(tree: IncludeTree, start = ''): readonly string[] {
  return [...tree].flatMap(([wire, { children }]) => [
    start + wire,
    ...includePathsIn(children, `${start}${wire}.`),
  ])
}

export function toIncludeNodes(tree: IncludeTree): readonly IncludeNode[] {
  return [...tree.values()].map(({ relation, children, selection }) => ({
    relation,
    children: toIncludeNodes(children),
    selection,
  }))
}

export function readableRelations(view: ModelView): readonly RelationField[] {
  return view.model.relations.filter((relation) => isReadable(view, relation))
}

/**
 * Does any path lead to many items, of which a request can then ask for some? What begins with one
 * relation goes on behind it.
 */
export function canReachMany(views: ModelViews, { view, onlyRelation }: IncludeRoot): boolean {
  const start = onlyRelation ? views.of(onlyRelation.relatedModel) : view
  const seen = new Set([start])
  for (const one of seen) {
    for (const relation of readableRelations(one)) {
      if (relation.kind !== 'toOne') return true
      seen.add(views.of(relation.relatedModel))
    }
  }
  return false
}
