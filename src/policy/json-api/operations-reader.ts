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
    const locals = collectLocalIds(operations, [operationsMember], problems)
    const read = operations.flatMap(
      (one, index) =>
        readOperation(one, [operationsMember, index], types, locals(index), problems) ?? [],
    )
    return { operations: read, problems }
  }
}

function readOperationList(document: unknown, limits: RouterLimits): readonly unknown[] {
  if (!isJsonObject(document)) throw refuse('invalid-document', expectedDocument, { pointer: '' })
  refuseAll(
    forbiddenMembers
      .filter((name) => document[name] !== undefined)
      .map((name) =>
        problem('invalid-document', `'${name}' cannot stand beside operations.`, {
          pointer: formatPointer([name]),
        }),
      ),
  )
  const operations = document[operationsMember]
  if (operations === undefined) throw refuse('invalid-document', expectedDocument, { pointer: '' })
  const source = { pointer: formatPointer([operationsMember]) }
  if (!Array.isArray(operations) || operations.length === 0)
    throw refuse('invalid-document', expectedDocument, source)
  if (operations.length <= limits.maxOperations) return operations
  const detail = `One request may hold at most ${limits.maxOperations} operations, not ${operations.length}.`
  throw refuse('limit-exceeded', detail, source, { meta: { limit: limits.maxOperations } })
}

const expectedDocument = `The body is an object whose member '${operationsMember}' is an array of operations, at least one.`

function readOperation(
  operation: unknown,
  steps: Steps,
  types: ReadonlyMap<string, ModelView>,
  locals: LocalIdLookup,
  problems: Problem[],
): OperationPayload<ModelRule> | undefined {
  if (!isJsonObject(operation)) {
    problems.push(invalidDocument('An operation is an object.', steps))
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

/** An operation has its data where a document of its own has it, and so is read as one. */
function readData(
  operation: Members,
  { request, view, target }: ModelRule,
  locals: LocalIdLookup,
): ItemPayload | undefined {
  if (request.kind === 'item') {
    const sent = readItem(operation, view, request.purpose, locals)
    // A batch may begin anew, and has to add the same items then.
    return request.purpose === 'create' ? { ...sent, newId: sent.newId ?? createId() } : sent
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
  const detail = "The 'op' of an operation is one of 'add', 'update' and 'remove'."
  problems.push(invalidDocument(detail, op === undefined ? steps : [...steps, 'op']))
  return undefined
}

/** An entity tag, or several, as in the header; a misspelled guard must not be passed over. */
function readIfMatch(
  { meta }: Members,
  steps: Steps,
  problems: Problem[],
): PayloadValue<string> | undefined {
  if (meta === undefined) return undefined
  const at = [...steps, 'meta']
  if (!isJsonObject(meta)) {
    problems.push(invalidDocument("'meta' is an object.", at))
    return undefined
  }
  const misspelled = Object.keys(meta).find(
    (name) => name !== 'ifMatch' && /^if[-_]?match$/i.test(name),
  )
  if (misspelled !== undefined)
    problems.push(
      invalidDocument(
        `The guard of an operation is spelled 'ifMatch', not '${truncate(misspelled)}'.`,
        [...at, misspelled],
      ),
    )
  const { ifMatch } = meta
  if (ifMatch === undefined) return undefined
  const tags = typeof ifMatch === 'string' ? parseEntityTags(ifMatch) : []
  if (typeof ifMatch === 'string' && tags.length > 0)
    return { value: ifMatch, steps: [...at, 'ifMatch'] }
  const detail =
    "It holds what the header If-Match would: '\"…\"' with the version of the resource, or '*'."
  problems.push(invalidDocument(detail, [...at, 'ifMatch']))
  return undefined
}

function invalidDocument(detail: string, at: Steps): Problem {
  return problem('invalid-document', detail, { pointer: formatPointer(at) })
}
