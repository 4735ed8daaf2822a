import type { Views } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { batchErrorResponses } from '../../rule/error-responses.ts'
import type { Limits } from '../../rule/limits.ts'
import type { ModelOperation } from '../../rule/operations.ts'
import { fieldsParameter } from '../../rule/parameter/fields.ts'
import type { BatchRequest, BatchRule, Contents, ModelRule } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ErrorSerializer } from '../../serializer/serializer.ts'
import { operationsDocument, resultsDocument } from './batch-schemas.ts'
import { exampleOperations } from './examples.ts'
import { atomic, atomicMediaType } from './media.ts'
import { operationsReader } from './read-operations.ts'
import { resultsSerializer } from './write-results.ts'

const segment = 'operations'

/** The mutations of the base specification, which the extension lets one request hold several of. */
const mutations: ReadonlySet<ModelOperation> = new Set([
  'CreateItem',
  'UpdateItem',
  'DeleteItem',
  'RelationshipPost',
  'RelationshipPatch',
  'RelationshipDelete',
])

const response = {
  status: 200,
  emptyStatus: 204,
  description: 'What each operation came to',
  parameters: atomic,
  content: 'results',
  headers: {},
} as const

/** The Atomic Operations extension, at an address of its own (https://jsonapi.org/ext/atomic). */
export function batchRules(
  rules: readonly ModelRule[],
  views: Views,
  limits: Limits,
  errors: ErrorSerializer,
): readonly BatchRule[] {
  refuseTaken(views)
  const allowed = rules.filter((rule) => mutations.has(rule.operation))
  const request: BatchRequest = {
    kind: 'batch',
    mediaTypes: [atomicMediaType],
    parameters: atomic,
    contents: written(operationsDocument(allowed, views, limits), () => exampleOperations(allowed)),
    rules: allowed,
    read: operationsReader(views, limits),
  }
  const rule: BatchRule = {
    operation: 'Batch',
    method: 'POST',
    path: `/${segment}`,
    parameters: [fieldsParameter(views)],
    request,
    response: { ...response, serializer: resultsSerializer(errors), contents: written(resultsDocument(views)) },
    errorResponses: batchErrorResponses(request),
    declarations: [],
  }
  return [Object.freeze(rule)]
}

function written(schema: JsonSchema, example?: () => object | undefined): Contents {
  return () => {
    const value = example?.()
    return { [atomicMediaType]: { schema, ...(value && { example: value }) } }
  }
}

function refuseTaken(views: Views): void {
  const taking = views.all.find(({ model }) => model.plural === segment)
  if (!taking) return
  throw new RegistrationError(
    `The collection of the model '${taking.model.name}' would stand at '/${segment}', where JSON:API answers Atomic Operations; give it another name with { plural: '…' }.`,
  )
}
