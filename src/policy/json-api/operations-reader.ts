import { refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { parseEntityTags } from '../../http/headers/entity-tag.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { createId } from '../../model/id.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { BatchPayload, OperationPayload } from '../../rule/batch-payload.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { ModelRule } from '../../rule/rule.ts'
import type { ItemPayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import type { LocalIdLookup } from './local-ids.ts'
import { collectLocalIds } from './operation-local-ids.ts'
import { readItem } from './read-item.ts'
import { isJsonObject } from './read-linkage.ts'
import { readRelationship } from './read-relationship.ts'
import { readTarget } from './read-target.ts'

type Members = Readonly<Record<string, unknown>>

const operationsMember = 'atomic:operations'
const forbiddenMembers = ['data', 'included', 'errors', 'atomic:results']
const methodsByOp = { add: 'POST', update: 'PATCH', remove: 'DELETE' } as const
const ifMatchName = 'meta.ifMatch'

/**
 * Reads `{"atomic:operations": [{"op": …, "ref": …, "data": …}]}` (Atomic Operations, document
 * structure).
 */
export function createOperationsReader(
  views: ModelViews,
  limits: RouterLimits,
): (document: unknown) => BatchPayload<ModelRule> {
  const types = new Map(views.all.map((view) => [view.model.plural, view]))
  return (document) => {
    const operations = readOperationList(document, limits)
    const problems: Problem[] = []
    const localIds = collectLocalIds(operations, [operationsMember], problems)
    const payloads = operations.flatMap(
      (operation, index) =>
        readOperation(operation, [operationsMember, index], types, localIds(index), problems) ?? [],
    )
    return { operations: payloads, problems }
  }
}

function readOperationList(document: unknown, limits: RouterLimits): readonly unknown[] {
  if (!isJsonObject(document)) throw refuse('invalid-document', expectedDocument, { pointer: '' })
  refuseAll(
    forbiddenMembers
      .filter((name) => document[name] !== undefined)
      .map((name) =>
        problem(
          'invalid-document',
          `'${name}' is not allowed together with '${operationsMember}'.`,
          {
            pointer: formatPointer([name]),
          },
        ),
      ),
  )
  const operations = document[operationsMember]
  if (operations === undefined) throw refuse('invalid-document', expectedDocument, { pointer: '' })
  const source = { pointer: formatPointer([operationsMember]) }
  if (!Array.isArray(operations) || operations.length === 0)
    throw refuse('invalid-document', expectedDocument, source)
  if (operations.length <= limits.maxOperations) return operations
  const detail = `A request must have at most ${limits.maxOperations} operations; got ${operations.length}.`
  throw refuse('limit-exceeded', detail, source, { meta: { limit: limits.maxOperations } })
}

const expectedDocument = `Expected an object with a non-empty array of operations as '${operationsMember}'.`

function readOperation(
  operation: unknown,
  steps: Steps,
  types: ReadonlyMap<string, ModelView>,
  locals: LocalIdLookup,
  problems: Problem[],
): OperationPayload<ModelRule> | undefined {
  if (!isJsonObject(operation)) {
    problems.push(invalidDocument('An operation must be an object.', steps))
    return undefined
  }
  const method = readMethod(operation, steps, problems)
  const target = readTarget(operation, steps, { types, locals, problems })
  const ifMatch = readIfMatch(operation, steps, problems)
  if (!method || !target) return undefined
  return {
    steps,
    method,
    target,
    ifMatch,
    ifMatchName,
    document: operation.data === undefined ? undefined : { data: operation.data },
    read: (rule) => readData(operation, rule, locals),
  }
}

/** An operation has `data` as a document of a single request, so the same functions read it. */
function readData(
  operation: Members,
  { request, view, target }: ModelRule,
  locals: LocalIdLookup,
): ItemPayload | undefined {
  if (request.kind === 'item') {
    const payload = readItem(operation, view, request.purpose, locals)
    // A batch may be retried, and has to add the same items then.
    return request.purpose === 'create'
      ? { ...payload, newId: payload.newId ?? createId() }
      : payload
  }
  if (request.kind === 'linkage' && target.kind === 'linkage')
    return readRelationship(operation, target.relation, locals)
  return undefined
}

function readMethod(
  { op }: Members,
  steps: Steps,
  problems: Problem[],
): OperationPayload<ModelRule>['method'] | undefined {
  if (op === 'add' || op === 'update' || op === 'remove') return methodsByOp[op]
  const detail = "'op' must be 'add', 'update' or 'remove'."
  problems.push(invalidDocument(detail, op === undefined ? steps : [...steps, 'op']))
  return undefined
}

/** Entity tags, as in the header. A misspelled `ifMatch` is an error, so that no check is lost. */
function readIfMatch(
  { meta }: Members,
  steps: Steps,
  problems: Problem[],
): PayloadValue<string> | undefined {
  if (meta === undefined) return undefined
  const metaSteps = [...steps, 'meta']
  if (!isJsonObject(meta)) {
    problems.push(invalidDocument("'meta' must be an object.", metaSteps))
    return undefined
  }
  const misspelled = Object.keys(meta).find(
    (name) => name !== 'ifMatch' && /^if[-_]?match$/i.test(name),
  )
  if (misspelled !== undefined)
    problems.push(
      invalidDocument(`Write 'ifMatch', not '${truncate(misspelled)}'.`, [
        ...metaSteps,
        misspelled,
      ]),
    )
  const { ifMatch } = meta
  if (ifMatch === undefined) return undefined
  const tags = typeof ifMatch === 'string' ? parseEntityTags(ifMatch) : []
  if (typeof ifMatch === 'string' && tags.length > 0)
    return { value: ifMatch, steps: [...metaSteps, 'ifMatch'] }
  const detail =
    "'ifMatch' must be a value of the header If-Match: '\"…\"' with the version of the resource, or '*'."
  problems.push(invalidDocument(detail, [...metaSteps, 'ifMatch']))
  return undefined
}

function invalidDocument(detail: string, steps: Steps): Problem {
  return problem('invalid-document', detail, { pointer: formatPointer(steps) })
}
