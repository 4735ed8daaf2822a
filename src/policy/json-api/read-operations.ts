import { refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { parseTags } from '../../http/entity-tag.ts'
import { pointer } from '../../http/json-pointer.ts'
import { freshId } from '../../model/fresh-id.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import type { SentBatch, SentOperation } from '../../rule/batch.ts'
import type { Limits } from '../../rule/limits.ts'
import type { ModelRule } from '../../rule/rule.ts'
import type { Sent, SentItem, Steps } from '../../serializer/sent.ts'
import type { Locals } from './locals.ts'
import { operationLocals } from './operation-locals.ts'
import { readItem } from './read-item.ts'
import { isObject } from './read-linkage.ts'
import { readRelationship } from './read-relationship.ts'
import { readTarget } from './read-target.ts'

type Members = Readonly<Record<string, unknown>>

const member = 'atomic:operations'
const besides = ['data', 'included', 'errors', 'atomic:results']
const methods = { add: 'POST', update: 'PATCH', remove: 'DELETE' } as const
const ifMatchName = 'meta.ifMatch'

/** Reads `{"atomic:operations": [{"op": …, "ref": …, "data": …}]}` (Atomic Operations, document structure). */
export function operationsReader(views: Views, limits: Limits): (document: unknown) => SentBatch<ModelRule> {
  const types = new Map(views.all.map((view) => [view.model.plural, view]))
  return (document) => {
    const operations = operationsIn(document, limits)
    const problems: Problem[] = []
    const locals = operationLocals(operations, [member], problems)
    const read = operations.flatMap(
      (one, index) => readOperation(one, [member, index], types, locals(index), problems) ?? [],
    )
    return { operations: read, problems }
  }
}

function operationsIn(document: unknown, limits: Limits): readonly unknown[] {
  if (!isObject(document)) throw refuse('invalid-document', expected, { pointer: '' })
  refuseAll(
    besides
      .filter((name) => document[name] !== undefined)
      .map((name) =>
        problem('invalid-document', `'${name}' cannot stand beside operations.`, { pointer: pointer([name]) }),
      ),
  )
  const operations = document[member]
  if (operations === undefined) throw refuse('invalid-document', expected, { pointer: '' })
  const source = { pointer: pointer([member]) }
  if (!Array.isArray(operations) || operations.length === 0) throw refuse('invalid-document', expected, source)
  if (operations.length <= limits.operations) return operations
  const detail = `One request may hold at most ${limits.operations} operations, not ${operations.length}.`
  throw refuse('limit-exceeded', detail, source, { meta: { limit: limits.operations } })
}

const expected = `The body is an object whose member '${member}' is an array of operations, at least one.`

function readOperation(
  operation: unknown,
  steps: Steps,
  types: ReadonlyMap<string, ModelView>,
  locals: Locals,
  problems: Problem[],
): SentOperation<ModelRule> | undefined {
  if (!isObject(operation)) {
    problems.push(wrong('An operation is an object.', steps))
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
function readData(operation: Members, { request, view, through }: ModelRule, locals: Locals): SentItem | undefined {
  if (request.kind === 'item') {
    const sent = readItem(operation, view, request.purpose, locals)
    // A batch may begin anew, and has to add the same items then.
    return request.purpose === 'create' ? { ...sent, newId: sent.newId ?? freshId() } : sent
  }
  if (request.kind === 'linkage' && through) return readRelationship(operation, through.relation, locals)
  return undefined
}

function readMethod(
  { op }: Members,
  steps: Steps,
  problems: Problem[],
): SentOperation<ModelRule>['method'] | undefined {
  if (op === 'add' || op === 'update' || op === 'remove') return methods[op]
  const detail = "The 'op' of an operation is one of 'add', 'update' and 'remove'."
  problems.push(wrong(detail, op === undefined ? steps : [...steps, 'op']))
  return undefined
}

/** An entity tag, or several, as in the header; a misspelled guard must not be passed over. */
function readIfMatch({ meta }: Members, steps: Steps, problems: Problem[]): Sent<string> | undefined {
  if (meta === undefined) return undefined
  const at = [...steps, 'meta']
  if (!isObject(meta)) {
    problems.push(wrong("'meta' is an object.", at))
    return undefined
  }
  const misspelled = Object.keys(meta).find((name) => name !== 'ifMatch' && /^if[-_]?match$/i.test(name))
  if (misspelled !== undefined)
    problems.push(
      wrong(`The guard of an operation is spelled 'ifMatch', not '${shortened(misspelled)}'.`, [...at, misspelled]),
    )
  const { ifMatch } = meta
  if (ifMatch === undefined) return undefined
  const tags = typeof ifMatch === 'string' ? parseTags(ifMatch) : []
  if (typeof ifMatch === 'string' && tags.length > 0) return { value: ifMatch, steps: [...at, 'ifMatch'] }
  const detail = "It holds what the header If-Match would: '\"…\"' with the version of the resource, or '*'."
  problems.push(wrong(detail, [...at, 'ifMatch']))
  return undefined
}

function wrong(detail: string, at: Steps): Problem {
  return problem('invalid-document', detail, { pointer: pointer(at) })
}
