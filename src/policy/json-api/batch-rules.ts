import type { ModelViews } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Contents } from '../../rule/contents.ts'
import { operations } from '../../rule/operations.ts'
import { fieldsParameter } from '../../rule/parameter/fields-parameter.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { BatchRequest, ModelRule, PolicyBatchRule } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { BatchSerializer, ErrorSerializer } from '../../serializer/serializer.ts'
import { operationsSchema, resultsSchema } from './batch-schemas.ts'
import { exampleOperations } from './examples.ts'
import { atomicExtensionUri, atomicMediaType, atomicParameters } from './media-types.ts'
import { createOperationsReader } from './operations-reader.ts'

const batchSegment = 'operations'

const batchResponse = {
  status: 200,
  emptyStatus: 204,
  description: 'The result of each operation',
  parameters: atomicParameters,
  content: 'results',
  headers: {},
} as const

/** The Atomic Operations extension (https://jsonapi.org/ext/atomic) at `/operations`. */
export function batchRules(
  rules: readonly ModelRule[],
  views: ModelViews,
  limits: RouterLimits,
  errors: ErrorSerializer,
): readonly PolicyBatchRule[] {
  checkBatchPath(views)
  const allowed = rules.filter((rule) => operations[rule.operation].isAllowedInBatch)
  const described = allowed.filter(({ isAlwaysRefused }) => !isAlwaysRefused)
  if (allowed.length === 0) return []
  const request: BatchRequest = {
    kind: 'batch',
    mediaTypes: [atomicMediaType],
    parameters: atomicParameters,
    contents: toContents(operationsSchema(described, views, limits), () =>
      exampleOperations(described),
    ),
    rules: allowed,
    read: createOperationsReader(views, limits),
  }
  const rule: PolicyBatchRule = {
    operation: 'Batch',
    target: { kind: 'batch' },
    method: 'POST',
    path: `/${batchSegment}`,
    parameters: [fieldsParameter(views)],
    request,
    response: {
      ...batchResponse,
      serializer: createResultsSerializer(errors),
      contents: toContents(resultsSchema(views)),
    },
  }
  return [Object.freeze(rule)]
}

function toContents(schema: JsonSchema, example?: () => object | undefined): Contents {
  return () => {
    const value = example?.()
    return { [atomicMediaType]: { schema, ...(value && { example: value }) } }
  }
}

/** @throws RegistrationError if a collection has the path of batches */
function checkBatchPath(views: ModelViews): void {
  const conflict = views.all.find(({ model }) => model.plural === batchSegment)
  if (!conflict) return
  throw new RegistrationError(
    `The path '/${batchSegment}' of the model '${conflict.model.name}' is the path of Atomic Operations. Set another plural with { plural: '…' }.`,
  )
}

const resultsPrefix = `{"jsonapi":${JSON.stringify({ version: '1.1', ext: [atomicExtensionUri] })},"atomic:results":[`

/** `{"atomic:results": [{"data": …}, {}]}` (Atomic Operations, result objects). */
function createResultsSerializer(errors: ErrorSerializer): BatchSerializer {
  return Object.freeze({
    ...errors,
    mediaType: atomicMediaType,
    writeResults: (items: readonly (string | undefined)[]) =>
      `${resultsPrefix}${items.map((item) => (item === undefined ? '{}' : `{"data":${item}}`)).join(',')}]}`,
  })
}
