import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import type { RelationField } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import type { Limits } from '../limits.ts'
import type { IncludedWindow, IncludeNode } from '../selection.ts'
import { listed } from './client-path.ts'

/** An included relation, while paths are added to the tree and windows to its nodes. */
export interface Growing {
  readonly relation: RelationField
  readonly children: GrowingLevel
  window: IncludedWindow | undefined
}

/** By wire name. */
export type GrowingLevel = Map<string, Growing>

/** What paths start from. */
export interface Root {
  readonly view: ModelView
  /** The one relation that paths begin with, where an answer is about that alone. */
  readonly first: RelationField | undefined
}

/** Adds the relations of one path to the tree, where paths with a common start share it. */
export function grow(
  tree: GrowingLevel,
  views: Views,
  { view: start, first }: Root,
  path: string,
  { relationDepth }: Limits,
): readonly Problem[] {
  const source = { parameter: 'include' }
  const wires = path.split('.')
  if (wires.length > relationDepth) {
    return [
      problem('limit-exceeded', `'${shortened(path)}' is longer than ${relationDepth} relations.`, source, {
        limit: relationDepth,
      }),
    ]
  }
  let view = start
  let level = tree
  for (const wire of wires) {
    const open = level === tree && first ? [first] : relationsOf(view)
    const relation = open.find((one) => one.wire === wire)
    if (!relation) {
      const known = listed(open.map((one) => one.wire))
      const detail = `'${shortened(path)}' cannot be included: '${view.model.name}' has no relation '${shortened(wire)}'; it has ${known || 'none'}.`
      return [problem('invalid-include', detail, source)]
    }
    const node = level.get(wire) ?? { relation, children: new Map(), window: undefined }
    level.set(wire, node)
    level = node.children
    view = views.of(relation.target)
  }
  return []
}

/** The relation that a dotted path leads to, if it is in the tree. */
export function nodeAt(tree: GrowingLevel, path: string): Growing | undefined {
  let level: GrowingLevel | undefined = tree
  let node: Growing | undefined
  for (const wire of path.split('.')) {
    node = level?.get(wire)
    level = node?.children
  }
  return node
}

/** Every path of the tree, the shorter ones before those that go on from them. */
export function pathsIn(tree: GrowingLevel, start = ''): readonly string[] {
  return [...tree].flatMap(([wire, { children }]) => [start + wire, ...pathsIn(children, `${start}${wire}.`)])
}

export function nodes(tree: GrowingLevel): readonly IncludeNode[] {
  return [...tree.values()].map(({ relation, children, window }) => ({ relation, children: nodes(children), window }))
}

export function relationsOf(view: ModelView): readonly RelationField[] {
  return view.model.relations.filter((relation) => isReadable(view, relation))
}

/** Does any path lead to many items, of which a request can then ask for some? What begins with one relation goes on behind it. */
export function reachesMany(views: Views, { view, first }: Root): boolean {
  const start = first ? views.of(first.target) : view
  const seen = new Set([start])
  for (const one of seen) {
    for (const relation of relationsOf(one)) {
      if (relation.kind !== 'toOne') return true
      seen.add(views.of(relation.target))
    }
  }
  return false
}
