import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { encodePathSegment } from '../../http/percent-encoding.ts'
import { type ModelView, readableField } from '../../model/model-view.ts'
import type { OperationTarget } from '../../rule/batch-payload.ts'
import type { PayloadValue, Steps } from '../../serializer/payload.ts'
import type { LocalIdLookup } from './local-ids.ts'
import { readId } from './read-id.ts'
import { isJsonObject } from './read-linkage.ts'

type Members = Readonly<Record<string, unknown>>

/** What an operation is read with. */
interface OperationReading {
  readonly types: ReadonlyMap<string, ModelView>
  readonly locals: LocalIdLookup
  readonly problems: Problem[]
}

/**
 * Stands in a path for an id that is missing: nothing is done then, but what else is wrong with the
 * operation shows only at its rule.
 */
const missingIdSegment = '-'

/**
 * Where an operation leads: to what its `ref` or its `href` names, else to what its `data` does
 * (Atomic Operations, operation objects).
 * @param steps where the operation stands
 * @returns undefined, with problems, where there is no telling
 */
export function readTarget(
  operation: Members,
  steps: Steps,
  reading: OperationReading,
): PayloadValue<OperationTarget> | undefined {
  const { op, ref, href, data } = operation
  if (ref !== undefined && href !== undefined)
    return addProblem(
      reading,
      "An operation names its target by 'ref' or by 'href', not by both.",
      steps,
    )
  if (href !== undefined) {
    const at = [...steps, 'href']
    if (typeof href !== 'string') return addProblem(reading, 'A href is text.', at)
    return { value: { kind: 'address', address: href }, steps: at }
  }
  if (ref === undefined && op === 'remove')
    return addProblem(
      reading,
      "What is to be removed is named by 'ref' or by 'href'; this operation has neither.",
      steps,
    )
  if (ref === undefined && !isJsonObject(data))
    return addProblem(
      reading,
      "The operation needs the resource object as 'data', or a target as 'ref' or 'href'.",
      steps,
    )
  const at = [...steps, ref === undefined ? 'data' : 'ref']
  const path =
    ref === undefined ? dataPath(op, data as Members, at, reading) : refPath(operation, at, reading)
  return path === undefined ? undefined : { value: { kind: 'path', path }, steps: at }
}

function dataPath(
  op: unknown,
  data: Members,
  steps: Steps,
  reading: OperationReading,
): string | undefined {
  const view = readType(data, steps, reading)
  // What is wrong with its id is told when the resource is read.
  return (
    view &&
    (op === 'add'
      ? collectionPath(view)
      : resourcePath(view, data, steps, { ...reading, problems: [] }))
  )
}

function refPath(
  { op, ref, data }: Members,
  steps: Steps,
  reading: OperationReading,
): string | undefined {
  if (!isJsonObject(ref))
    return addProblem(
      reading,
      'A ref is an object with type, id or lid, and maybe relationship.',
      steps,
    )
  const { relationship } = ref
  const isAdded = op === 'add' && relationship === undefined
  // Some clients say in a ref what the data says.
  if (isAdded && !hasSameIdentity(ref, data))
    return addProblem(
      reading,
      "What is added is named by its 'data'; a ref can only say the same.",
      steps,
    )
  const view = readType(ref, steps, reading)
  if (!view) return undefined
  if (isAdded) return collectionPath(view)
  if (ref.id !== undefined && ref.lid !== undefined)
    addProblem(reading, 'A ref has an id or a lid, not both.', [...steps, 'lid'])
  const path = resourcePath(view, ref, steps, reading)
  return relationship === undefined
    ? path
    : relationshipPath(path, view, relationship, steps, reading)
}

function hasSameIdentity(ref: Members, data: unknown): boolean {
  return isJsonObject(data) && ['type', 'id', 'lid'].every((name) => ref[name] === data[name])
}

function readType(
  { type }: Members,
  steps: Steps,
  reading: OperationReading,
): ModelView | undefined {
  if (type === undefined) return addProblem(reading, 'A resource is named with its type.', steps)
  const at = [...steps, 'type']
  if (typeof type !== 'string') return addProblem(reading, 'A type is text.', at)
  const known = [...reading.types.keys()].join(', ')
  return (
    reading.types.get(type) ??
    addProblem(
      reading,
      `There is no type '${truncate(type)}' here; there are ${known}.`,
      at,
      'not-found',
    )
  )
}

function collectionPath({ model }: ModelView): string {
  return `/${model.plural}`
}

function resourcePath(
  view: ModelView,
  named: Members,
  steps: Steps,
  { locals, problems }: OperationReading,
): string {
  const id =
    readId(named, view.model.plural, steps, locals, problems, 'invalid-document') ??
    missingIdSegment
  return `${collectionPath(view)}/${encodePathSegment(id)}`
}

function relationshipPath(
  path: string,
  view: ModelView,
  name: unknown,
  steps: Steps,
  reading: OperationReading,
): string | undefined {
  const at = [...steps, 'relationship']
  if (typeof name !== 'string') return addProblem(reading, 'A relationship is named by text.', at)
  const { relations, plural } = view.model
  const relation = relations.find(
    ({ wireName }) => wireName === name && readableField(view, wireName),
  )
  if (relation) return `${path}/relationships/${relation.wireName}`
  const known = relations
    .filter(({ wireName }) => readableField(view, wireName))
    .map(({ wireName }) => wireName)
  const have = known.length > 0 ? `; they have ${known.join(', ')}` : ''
  return addProblem(
    reading,
    `The ${plural} have no relationship '${truncate(name)}'${have}.`,
    at,
    'not-found',
  )
}

function addProblem(
  { problems }: OperationReading,
  detail: string,
  at: Steps,
  code: 'invalid-document' | 'not-found' = 'invalid-document',
): undefined {
  problems.push(problem(code, detail, { pointer: formatPointer(at) }))
}
