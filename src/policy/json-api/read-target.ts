import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { encodePathSegment } from '../../http/header-value.ts'
import { pointer } from '../../http/json-pointer.ts'
import { type ModelView, readableField } from '../../model/model-view.ts'
import type { Target } from '../../rule/batch.ts'
import type { Sent, Steps } from '../../serializer/sent.ts'
import type { Locals } from './locals.ts'
import { readId } from './read-id.ts'
import { isObject } from './read-linkage.ts'

type Members = Readonly<Record<string, unknown>>

/** What an operation is read with. */
interface Reading {
  readonly types: ReadonlyMap<string, ModelView>
  readonly locals: Locals
  readonly problems: Problem[]
}

/** Stands in a path for an id that is missing: nothing is done then, but what else is wrong with the operation shows only at its rule. */
const unnamed = '-'

/**
 * Where an operation leads: to what its `ref` or its `href` names, else to what its `data` does (Atomic Operations, operation objects).
 * @param steps where the operation stands
 * @returns undefined, with problems, where there is no telling
 */
export function readTarget(operation: Members, steps: Steps, reading: Reading): Sent<Target> | undefined {
  const { op, ref, href, data } = operation
  if (ref !== undefined && href !== undefined)
    return wrong(reading, "An operation names its target by 'ref' or by 'href', not by both.", steps)
  if (href !== undefined) {
    const at = [...steps, 'href']
    if (typeof href !== 'string') return wrong(reading, 'A href is text.', at)
    return { value: { kind: 'address', address: href }, steps: at }
  }
  if (ref === undefined && op === 'remove')
    return wrong(reading, "What is to be removed is named by 'ref' or by 'href'; this operation has neither.", steps)
  if (ref === undefined && !isObject(data))
    return wrong(reading, "The operation needs the resource object as 'data', or a target as 'ref' or 'href'.", steps)
  const at = [...steps, ref === undefined ? 'data' : 'ref']
  const path = ref === undefined ? dataPath(op, data as Members, at, reading) : refPath(operation, at, reading)
  return path === undefined ? undefined : { value: { kind: 'path', path }, steps: at }
}

function dataPath(op: unknown, data: Members, steps: Steps, reading: Reading): string | undefined {
  const view = readType(data, steps, reading)
  // What is wrong with its id is told when the resource is read.
  return view && (op === 'add' ? collectionPath(view) : resourcePath(view, data, steps, { ...reading, problems: [] }))
}

function refPath({ op, ref, data }: Members, steps: Steps, reading: Reading): string | undefined {
  if (!isObject(ref)) return wrong(reading, 'A ref is an object with type, id or lid, and maybe relationship.', steps)
  const { relationship } = ref
  const isAdded = op === 'add' && relationship === undefined
  // Some clients say in a ref what the data says.
  if (isAdded && !isSame(ref, data))
    return wrong(reading, "What is added is named by its 'data'; a ref can only say the same.", steps)
  const view = readType(ref, steps, reading)
  if (!view) return undefined
  if (isAdded) return collectionPath(view)
  if (ref.id !== undefined && ref.lid !== undefined)
    wrong(reading, 'A ref has an id or a lid, not both.', [...steps, 'lid'])
  const path = resourcePath(view, ref, steps, reading)
  return relationship === undefined ? path : relationshipPath(path, view, relationship, steps, reading)
}

function isSame(ref: Members, data: unknown): boolean {
  return isObject(data) && ['type', 'id', 'lid'].every((name) => ref[name] === data[name])
}

function readType({ type }: Members, steps: Steps, reading: Reading): ModelView | undefined {
  if (type === undefined) return wrong(reading, 'A resource is named with its type.', steps)
  const at = [...steps, 'type']
  if (typeof type !== 'string') return wrong(reading, 'A type is text.', at)
  const known = [...reading.types.keys()].join(', ')
  return (
    reading.types.get(type) ??
    wrong(reading, `There is no type '${shortened(type)}' here; there are ${known}.`, at, 'not-found')
  )
}

function collectionPath({ model }: ModelView): string {
  return `/${model.plural}`
}

function resourcePath(view: ModelView, named: Members, steps: Steps, { locals, problems }: Reading): string {
  const id = readId(named, view.model.plural, steps, locals, problems, 'invalid-document') ?? unnamed
  return `${collectionPath(view)}/${encodePathSegment(id)}`
}

function relationshipPath(
  path: string,
  view: ModelView,
  name: unknown,
  steps: Steps,
  reading: Reading,
): string | undefined {
  const at = [...steps, 'relationship']
  if (typeof name !== 'string') return wrong(reading, 'A relationship is named by text.', at)
  const { relations, plural } = view.model
  const relation = relations.find(({ wire }) => wire === name && readableField(view, wire))
  if (relation) return `${path}/relationships/${relation.wire}`
  const known = relations.filter(({ wire }) => readableField(view, wire)).map(({ wire }) => wire)
  const have = known.length > 0 ? `; they have ${known.join(', ')}` : ''
  return wrong(reading, `The ${plural} have no relationship '${shortened(name)}'${have}.`, at, 'not-found')
}

function wrong(
  { problems }: Reading,
  detail: string,
  at: Steps,
  code: 'invalid-document' | 'not-found' = 'invalid-document',
): undefined {
  problems.push(problem(code, detail, { pointer: pointer(at) }))
}
