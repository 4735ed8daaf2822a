import type { ResourcePath } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { indexParameterName } from '../rule/index-parameter-name.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { BytesRequest, NoRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { ResourceTarget } from '../rule/target.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { createRuleMaker } from './rule-maker.ts'

const noRequest: NoRequest = { kind: 'none' }

/**
 * The responses when a client sets or deletes a resource, and the query parameters of the first.
 */
export interface ResourceResponses {
  readonly itemResponse: ResponseShape
  readonly emptyResponse: ResponseShape
  readonly parameters: readonly QueryParameter[]
}

/**
 * The operations on each binary resource of a model's items. Protocols differ in the responses
 * only.
 *
 * ```ts
 * const rules = resourceRules(view, {
 *   itemResponse,
 *   emptyResponse,
 *   parameters: itemParameters(view, views, limits),
 * })
 * ```
 */
export function resourceRules(
  view: ModelView,
  responses: ResourceResponses,
): readonly PolicyRule[] {
  return view.model.resourcePaths
    .filter(
      ({ itemField, field }) =>
        isReadable(view, itemField) && (view.isForService || field.visibility !== 'hidden'),
    )
    .flatMap((resourcePath) => rulesOf(view, resourcePath, responses))
}

function rulesOf(
  view: ModelView,
  resourcePath: ResourcePath,
  { itemResponse, emptyResponse, parameters }: ResourceResponses,
): readonly PolicyRule[] {
  const { field, itemField } = resourcePath
  const path = `/${view.model.plural}/:id/${templateOf(resourcePath)}`
  const target: ResourceTarget = { kind: 'resource', path: resourcePath }
  const rule = createRuleMaker({ view }, { item: parameters })
  const bytes = (types: readonly string[], description: string): ResponseShape => ({
    status: 200,
    description,
    serializer: itemResponse.serializer,
    parameters: itemResponse.parameters,
    content: 'resource',
    contents: () => Object.fromEntries(types.map((type) => [type, { schema: binarySchema(type) }])),
    headers: {
      etag: 'always',
      'cache-control': 'always',
      'content-length': 'always',
      'accept-ranges': 'always',
      'content-disposition': 'always',
      'content-security-policy': 'sometimes',
      'repr-digest': 'sometimes',
    },
  })
  const read = (
    readTarget: ResourceTarget,
    suffix: string,
    types: readonly string[],
    description: string,
  ) =>
    rule('GetResource', readTarget, 'GET', path + suffix, noRequest, bytes(types, description), [
      partialResponse(bytes(types, description)),
    ])
  const variants = field.variants.map((variant) => {
    const { format, size } = variant
    return read(
      { ...target, variant },
      `/${format}/${size}`,
      [`image/${format}`],
      `The image as ${format}, at most ${size} pixels wide and high`,
    )
  })
  const own = read(target, '', field.types, 'The bytes')
  const isReadOnly = field.visibility === 'readOnly' || itemField.visibility === 'readOnly'
  if (isReadOnly && !view.isForService) return [own, ...variants]
  const set = rule('SetResource', target, 'POST', path, uploadRequest(resourcePath), itemResponse)
  return [
    own,
    set,
    rule('DeleteResource', target, 'DELETE', path, noRequest, emptyResponse),
    ...variants,
  ]
}

function partialResponse(whole: ResponseShape): ResponseShape {
  return {
    ...whole,
    status: 206,
    description: 'The requested byte range',
    headers: { ...whole.headers, 'content-range': 'always' },
  }
}

function uploadRequest({ field, segments }: ResourcePath): BytesRequest {
  const partName = segments.at(-1)!
  const raw = [...new Set([...field.types, 'application/octet-stream'])]
  const { maxBytes } = field
  return {
    kind: 'bytes',
    mediaTypes: [...raw, 'multipart/form-data'],
    partName,
    maxBytes,
    // The form comes first: tools that support one media type only take the first, and they can
    // send forms.
    contents: () => ({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { [partName]: { ...filePartSchema, maxLength: maxBytes } },
          required: [partName],
          additionalProperties: false,
        },
        encoding: { [partName]: { contentType: raw.join(', ') } },
      },
      ...Object.fromEntries(
        raw.map((type) => [type, { schema: { ...binarySchema(type), maxLength: maxBytes } }]),
      ),
    }),
  }
}

/** The file part of a form. Generators recognize it by `type` and `format` alone. */
const filePartSchema = { type: 'string', format: 'binary', ...binarySchema('*/*') } as const

/** JSON Schema can describe bytes by their media type only. */
function binarySchema(type: string): JsonSchema {
  return { contentMediaType: type.includes('*') ? 'application/octet-stream' : type }
}

/** For example `editions/:index/scan`; the index of a nested list is `:index2`. */
function templateOf({ segments }: ResourcePath): string {
  let lists = 0
  return segments.map((step) => (step === '*' ? `:${indexParameterName(lists++)}` : step)).join('/')
}
