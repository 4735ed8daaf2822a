import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { encodePathSegment } from '../../http/percent-encoding.ts'
import { type ModelView, readableField } from '../../model/model-view.ts'
import type { OperationTarget } from '../../rule/batch-payload.ts'
import type { PayloadValue, Steps } from '../../serializer/payload.ts'
import { mustBeString } from '../must-be-string.ts'
import type { LocalIdLookup } from './local-ids.ts'
import { readId } from './read-id.ts'
import { isJsonObject } from './read-linkage.ts'

type Members = Readonly<Record<string, unknown>>

/** What reading an operation needs. */
interface OperationReading {
  readonly types: ReadonlyMap<string, ModelView>
  readonly locals: LocalIdLookup
  readonly problems: Problem[]
}

/**
 * Replaces a missing id in a path. The batch is refused then, but finding the rule reveals the
 * other problems of the operation.
 */
const missingIdSegment = '-'

/**
 * The target of an operation: its `ref` or `href`, or else its `data` (Atomic Operations, operation
 * objects).
 * @param steps the path of the operation in the document
 * @returns undefined, with problems, if there is no valid target
 */
export function readTarget(
  operation: Members,
  steps: Steps,
  reading: OperationReading,
): PayloadValue<OperationTarget> | undefined {
  const { op, ref, href, data } = operation
  if (ref !== undefined && href !== undefined)
    return addProblem(reading, "An operation must have 'ref' or 'href', not both.", steps)
  if (href !== undefined) {
    const hrefSteps = [...steps, 'href']
    if (typeof href !== 'string') return addProblem(reading, mustBeString('href'), hrefSteps)
    return { value: { kind: 'address', address: href }, steps: hrefSteps }
  }
  if (ref === undefined && op === 'remove')
    return addProblem(reading, "A 'remove' operation needs a 'ref' or a 'href'.", steps)
  if (ref === undefined && !isJsonObject(data))
    return addProblem(
      reading,
      "The operation needs a resource object as 'data', or a target as 'ref' or 'href'.",
      steps,
    )
  const targetSteps = [...steps, ref === undefined ? 'data' : 'ref']
  const path =
    ref === undefined
      ? dataPath(op, data as Members, targetSteps, reading)
      : refPath(operation, targetSteps, reading)
  return path === undefined ? undefined : { value: { kind: 'path', path }, steps: targetSteps }
}

function dataPath(
  op: unknown,
  data: Members,
  steps: Steps,
  reading: OperationReading,
): string | undefined {
  const view = readType(data, steps, reading)
  // Reading the resource reports the problems of its id.
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
      "'ref' must be an object with 'type', 'id' or 'lid', and optionally 'relationship'.",
      steps,
    )
  const { relationship } = ref
  const isAdded = op === 'add' && relationship === undefined
  // Some clients repeat the type and id of `data` in a `ref`.
  if (isAdded && !hasSameIdentity(ref, data))
    return addProblem(
      reading,
      "'ref' must have the same 'type', 'id' and 'lid' as 'data' in an 'add' operation.",
      steps,
    )
  const view = readType(ref, steps, reading)
  if (!view) return undefined
  if (isAdded) return collectionPath(view)
  if (ref.id !== undefined && ref.lid !== undefined)
    addProblem(reading, "'ref' must have 'id' or 'lid', not both.", [...steps, 'lid'])
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
  if (type === undefined) return addProblem(reading, "Expected a 'type'.", steps)
  const typeSteps = [...steps, 'type']
  if (typeof type !== 'string') return addProblem(reading, mustBeString('type'), typeSteps)
  return (
    reading.types.get(type) ??
    addProblem(
      reading,
      unknownName(`Unknown type '${truncate(type)}'`, type, [...reading.types.keys()]),
      typeSteps,
      'not-found',
    )
  )
}

function collectionPath({ model }: ModelView): string {
  return `/${model.plural}`
}

function resourcePath(
  view: ModelView,
  reference: Members,
  steps: Steps,
  { locals, problems }: OperationReading,
): string {
  const id =
    readId(reference, view.model.plural, steps, locals, problems, 'invalid-document') ??
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
  const nameSteps = [...steps, 'relationship']
  if (typeof name !== 'string') return addProblem(reading, mustBeString('relationship'), nameSteps)
  const { relations, plural } = view.model
  const relation = relations.find(
    ({ wireName }) => wireName === name && readableField(view, wireName),
  )
  if (relation) return `${path}/relationships/${relation.wireName}`
  const names = relations
    .filter(({ wireName }) => readableField(view, wireName))
    .map(({ wireName }) => wireName)
  return addProblem(
    reading,
    unknownName(`Unknown relationship '${truncate(name)}' of ${plural}`, name, names),
    nameSteps,
    'not-found',
  )
}

function addProblem(
  { problems }: OperationReading,
  detail: string,
  steps: Steps,
  code: 'invalid-document' | 'not-found' = 'invalid-document',
): undefined {
  problems.push(problem(code, detail, { pointer: formatPointer(steps) }))
}
