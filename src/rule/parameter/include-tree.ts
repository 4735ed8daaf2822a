import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import type { RelationField } from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../router-limits.ts'
import type { IncludedSelection, IncludeNode } from '../selection.ts'
import { pathTooLong } from './resolve-wire-path.ts'

/** An included relation, while paths and selections are added. */
export interface IncludeTreeNode {
  readonly relation: RelationField
  readonly children: IncludeTree
  selection: IncludedSelection | undefined
}

/** By wire name. */
export type IncludeTree = Map<string, IncludeTreeNode>

/** The start of all paths. */
export interface IncludeRoot {
  readonly view: ModelView
  /** The relation that all paths start with, if the response is about it. */
  readonly onlyRelation: RelationField | undefined
}

/** Adds a path to the tree. Paths with the same start share its nodes. */
export function addIncludePath(
  tree: IncludeTree,
  views: ModelViews,
  { view: start, onlyRelation }: IncludeRoot,
  path: string,
  limits: RouterLimits,
): readonly Problem[] {
  const source = { parameter: 'include' }
  const wires = path.split('.')
  if (wires.length > limits.maxRelationDepth) return [pathTooLong(path, source, limits)]
  let view = start
  let level = tree
  for (const wire of wires) {
    const open = level === tree && onlyRelation ? [onlyRelation] : readableRelations(view)
    const relation = open.find(({ wireName }) => wireName === wire)
    if (!relation) {
      const statement = `Cannot include '${truncate(path)}': '${view.model.name}' has no relation '${truncate(wire)}'`
      const allowed = open.map(({ wireName }) => wireName)
      return [problem('invalid-include', unknownName(statement, wire, allowed), source)]
    }
    const node = level.get(wire) ?? { relation, children: new Map(), selection: undefined }
    level.set(wire, node)
    level = node.children
    view = views.of(relation.relatedModel)
  }
  return []
}

/** The node of a dotted path; undefined if it is not included. */
export function findIncludeNode(tree: IncludeTree, path: string): IncludeTreeNode | undefined {
  let level: IncludeTree | undefined = tree
  let node: IncludeTreeNode | undefined
  for (const wire of path.split('.')) {
    node = level?.get(wire)
    level = node?.children
  }
  return node
}

/** All paths of the tree, parents first. */
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

/** The relations whose items the callers may see. */
export function openRelations(
  { closedModels }: ModelViews,
  view: ModelView,
): readonly RelationField[] {
  return readableRelations(view).filter(({ relatedModel }) => !closedModels.has(relatedModel))
}

/** Does any include path have a to-many relation, which can have a selection? */
export function canReachMany(views: ModelViews, { view, onlyRelation }: IncludeRoot): boolean {
  const start = onlyRelation ? views.of(onlyRelation.relatedModel) : view
  const seen = new Set([start])
  for (const reached of seen) {
    for (const relation of readableRelations(reached)) {
      if (relation.kind !== 'toOne') return true
      seen.add(views.of(relation.relatedModel))
    }
  }
  return false
}
