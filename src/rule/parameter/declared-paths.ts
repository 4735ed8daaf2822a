import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { isRelation } from '../../model/relation-kinds.ts'
import type { ValueType } from '../../model/value-type.ts'
import type { RouterLimits } from '../router-limits.ts'
import { type AggregatedPath, aggregatedPath } from './aggregated-path.ts'
import type { FieldReference } from './resolve-wire-path.ts'

/** A member that a model declares for sums and groups, as clients name it. */
export interface DeclaredPath {
  /** Wire names: `author.fullName`. */
  readonly name: string
  readonly path: AggregatedPath
  /** How many relations lead to the item that has the member. */
  readonly relationCount: number
}

/** The declared members that callers can read; in place of an object, its members. */
export function declaredPaths(views: ModelViews, view: ModelView): readonly DeclaredPath[] {
  const paths = [...view.model.aggregated].flatMap((dotted) =>
    pathsOf(views, view, dotted.split('.')),
  )
  // An object can be declared beside one of its members.
  return [...new Map(paths.map((path) => [path.name, path])).values()]
}

/** The names that a request within the limits can have. */
export function declaredNames(
  views: ModelViews,
  view: ModelView,
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
): readonly string[] {
  return declaredPaths(views, view)
    .filter(({ relationCount }) => relationCount <= maxRelationDepth)
    .map(({ name }) => name)
}

/** Is it a list of a related item? These cannot be grouped. */
export function isRelatedList(
  { path: { names }, isMany }: AggregatedPath,
  start: ModelView,
): boolean {
  const [first = ''] = names
  return isMany && names.length > 1 && isRelation(start.model.fieldsByName.get(first)!)
}

function pathsOf(
  views: ModelViews,
  start: ModelView,
  names: readonly string[],
): readonly DeclaredPath[] {
  const wires: string[] = []
  let view = start
  for (const [relationCount, name] of names.entries()) {
    const before = names.slice(0, relationCount)
    const declared = (members: readonly string[], reference: FieldReference) => {
      const path = aggregatedPath([...before, name, ...members], reference)
      if (!path || isRelatedList(path, start)) return []
      return [{ name: [...wires, ...members].join('.'), path, relationCount }]
    }
    const field = view.model.fieldsByName.get(name)
    wires.push(field?.wireName ?? name)
    if (!field) return declared([], { kind: 'id' })
    if (!isReadable(view, field)) return []
    const rest = names.slice(relationCount + 1)
    if (field.kind === 'value')
      return membersBelow(field.type, rest).flatMap(({ members, type }) =>
        declared(members, { kind: 'value', field, type }),
      )
    if (!isRelation(field)) return []
    if (rest.length === 0) return declared([], { kind: 'relation', field })
    if (views.closedModels.has(field.relatedModel)) return []
    view = views.of(field.relatedModel)
  }
  return []
}

interface MemberOfValue {
  readonly members: readonly string[]
  readonly type: ValueType
}

/** What these members lead to: of an object, each member that is none. */
function membersBelow(
  type: ValueType,
  [next, ...rest]: readonly string[],
): readonly MemberOfValue[] {
  if (type.kind !== 'struct') return [{ members: [], type }]
  return [...type.members]
    .filter(([name]) => next === undefined || name === next)
    .flatMap(([name, member]) =>
      membersBelow(member.type, rest).map((below) => ({
        members: [name, ...below.members],
        type: below.type,
      })),
    )
}
