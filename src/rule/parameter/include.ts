import { type Problem, problem } from '../../error/problem.ts'
import type { RelationField } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import type { Limits } from '../limits.ts'
import { type Parameter, read, refused } from '../parameter.ts'
import type { IncludeNode } from '../selection.ts'
import { listed, shortened } from './client-path.ts'

/**
 * `include=author.books,genres`: the related items too, and theirs.
 * @param first the one relation that paths begin with, where an answer is about that alone
 */
export function includeParameter(views: Views, view: ModelView, limits: Limits, first?: RelationField): Parameter {
  return {
    family: 'include',
    documented: [
      {
        name: 'include',
        description: `Related items to send along: paths of relations, separated by commas; at most ${limits.includePaths}, each ${limits.relationDepth} relations long at most.`,
        schema: {
          type: 'array',
          maxItems: limits.includePaths,
          items: { type: 'string', examples: (first ? [first] : relationsOf(view)).map((one) => one.wire) },
        },
      },
    ],
    read: ([entry]) => {
      const { key, path, value } = entry!
      if (path.length > 0)
        return refused([
          problem('unknown-parameter', 'Inclusion is written include=…, without brackets.', { parameter: key }),
        ])
      const paths = value === '' ? [] : value.split(',')
      if (paths.length > limits.includePaths) {
        return refused([
          problem(
            'limit-exceeded',
            `At most ${limits.includePaths} paths may be included.`,
            { parameter: key },
            { limit: limits.includePaths },
          ),
        ])
      }
      const root: Growing = new Map()
      const problems = paths.flatMap((one) => grow(root, views, view, one, limits, first))
      return problems.length > 0 ? refused(problems) : read({ include: nodes(root) })
    },
  }
}

type Growing = Map<RelationField, Growing>

/** Adds the relations of one path to the tree, where paths with a common start share it. */
function grow(
  root: Growing,
  views: Views,
  start: ModelView,
  path: string,
  { relationDepth }: Limits,
  first: RelationField | undefined,
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
  let level = root
  for (const wire of wires) {
    const open = level === root && first ? [first] : relationsOf(view)
    const relation = open.find((one) => one.wire === wire)
    if (!relation) {
      const known = listed(open.map((one) => one.wire))
      const detail = `'${shortened(path)}' cannot be included: '${view.model.name}' has no relation '${shortened(wire)}'; it has ${known || 'none'}.`
      return [problem('invalid-include', detail, source)]
    }
    const next = level.get(relation) ?? new Map()
    level.set(relation, next)
    level = next
    view = views.of(relation.target)
  }
  return []
}

function nodes(level: Growing): readonly IncludeNode[] {
  return [...level].map(([relation, children]) => ({ relation, children: nodes(children) }))
}

function relationsOf(view: ModelView): readonly RelationField[] {
  return view.model.relations.filter((relation) => isReadable(view, relation))
}
