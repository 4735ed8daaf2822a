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

/** What the ways to a target have in common. */
interface Reading {
  readonly types: ReadonlyMap<string, ModelView>
  readonly locals: Locals
  readonly problems: Problem[]
}

/**
 * Where an operation leads: to what its `ref` or its `href` names, else to what its `data` does (Atomic Operations, operation objects).
 * @param steps where the operation stands
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
  if (ref !== undefined) return refTarget(operation, [...steps, 'ref'], reading)
  if (op === 'remove')
    return wrong(reading, "What is to be removed is named by 'ref' or by 'href'; this operation has neither.", steps)
  if (!isObject(data))
    return wrong(reading, "The operation needs the resource object as 'data', or a target as 'ref' or 'href'.", steps)
  return resourceTarget(data, op === 'add', [...steps, 'data'], reading)
}

function refTarget({ op, ref, data }: Members, steps: Steps, reading: Reading): Sent<Target> | undefined {
  if (!isObject(ref)) return wrong(reading, 'A ref is an object with type, id or lid, and maybe relationship.', steps)
  if (ref.relationship === undefined && op === 'add') return addedTarget(ref, data, steps, reading)
  if (ref.id !== undefined && ref.lid !== undefined)
    return wrong(reading, 'A ref has an id or a lid, not both.', [...steps, 'lid'])
  const found = resourceTarget(ref, false, steps, reading)
  if (ref.relationship === undefined) return found
  const at = [...steps, 'relationship']
  if (typeof ref.relationship !== 'string') return wrong(reading, 'A relationship is named by text.', at)
  const view = typeof ref.type === 'string' ? reading.types.get(ref.type) : undefined
  if (!view) return undefined
  const { model } = view
  const relation = model.relations.find((one) => one.wire === ref.relationship && readableField(view, one.wire))
  if (!relation) {
    const detail = `The ${model.plural} have no relationship '${shortened(ref.relationship)}'.`
    return wrong(reading, detail, at, 'not-found')
  }
  return found && { value: { kind: 'path', path: `${pathOf(found)}/relationships/${relation.wire}` }, steps }
}

/** A new resource is named by its data; some clients say the same in a ref beside it. */
function addedTarget(ref: Members, data: unknown, steps: Steps, reading: Reading): Sent<Target> | undefined {
  const isSame = isObject(data) && ['type', 'id', 'lid'].every((name) => ref[name] === data[name])
  if (!isSame) return wrong(reading, "What is added is named by its 'data'; a ref can only say the same.", steps)
  return resourceTarget(ref, true, steps, reading)
}

/** The collection of a resource, or the resource itself. */
function resourceTarget(named: Members, isNew: boolean, steps: Steps, reading: Reading): Sent<Target> | undefined {
  const { types, locals, problems } = reading
  const { type } = named
  if (type === undefined) return wrong(reading, 'A resource is named with its type.', steps)
  if (typeof type !== 'string') return wrong(reading, 'A type is text.', [...steps, 'type'])
  if (!types.has(type))
    return wrong(reading, `There is no type '${shortened(type)}' here.`, [...steps, 'type'], 'not-found')
  if (isNew) return { value: { kind: 'path', path: `/${type}` }, steps }
  const id = readId(named, type, steps, locals, problems, 'invalid-document')
  return id === undefined ? undefined : { value: { kind: 'path', path: `/${type}/${encodePathSegment(id)}` }, steps }
}

function pathOf({ value }: Sent<Target>): string {
  return value.kind === 'path' ? value.path : value.address
}

function wrong(
  { problems }: Reading,
  detail: string,
  at: Steps,
  code: 'invalid-document' | 'not-found' = 'invalid-document',
): undefined {
  problems.push(problem(code, detail, { pointer: pointer(at) }))
}
