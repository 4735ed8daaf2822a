import type { ResourcePath } from '../model/model-description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { indexParameterName } from '../rule/index-parameter-name.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type {
  BytesRequest,
  ModelRule,
  NoRequest,
  ResourceTarget,
  ResponseShape,
} from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { createRuleMaker } from './rule-maker.ts'

const noRequest: NoRequest = { kind: 'none' }

/**
 * What a protocol answers with when a resource is set and cleared, and what may be asked of the
 * first.
 */
export interface ResourceResponses {
  readonly itemResponse: ResponseShape
  readonly emptyResponse: ResponseShape
  readonly parameters: readonly QueryParameter[]
}

/**
 * The operations on each binary resource of a model's items, at the place where it stands in them.
 * Alike in every protocol but for the answers.
 */
export function resourceRules(view: ModelView, answers: ResourceResponses): readonly ModelRule[] {
  return view.model.resourcePaths
    .filter(({ itemField, field }) => isReadable(view, itemField) && field.visibility !== 'hidden')
    .flatMap((slot) => rulesOf(view, slot, answers))
}

function rulesOf(
  view: ModelView,
  slot: ResourcePath,
  { itemResponse, emptyResponse, parameters }: ResourceResponses,
): readonly ModelRule[] {
  const { field, itemField } = slot
  const path = `/${view.model.plural}/:id/${templateOf(slot)}`
  const target: ResourceTarget = { kind: 'resource', path: slot }
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
    below: string,
    types: readonly string[],
    description: string,
  ) =>
    rule('GetResource', readTarget, 'GET', path + below, noRequest, bytes(types, description), [
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
  if (field.visibility === 'readOnly' || itemField.visibility === 'readOnly')
    return [own, ...variants]
  const set = rule('SetResource', target, 'POST', path, uploadRequest(slot), itemResponse)
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
    description: 'The part of the bytes that was asked for',
    headers: { ...whole.headers, 'content-range': 'always' },
  }
}

function uploadRequest({ field, segments }: ResourcePath): BytesRequest {
  const part = segments.at(-1)!
  const raw = [...field.types, 'application/octet-stream']
  const { maxBytes } = field
  return {
    kind: 'bytes',
    mediaTypes: [...raw, 'multipart/form-data'],
    partName: part,
    maxBytes,
    // The form first: tools that take only one of several types take the first, and know how to
    // send a form.
    contents: () => ({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { [part]: { ...filePartSchema, maxLength: maxBytes } },
          required: [part],
          additionalProperties: false,
        },
        encoding: { [part]: { contentType: raw.join(', ') } },
      },
      ...Object.fromEntries(
        raw.map((type) => [type, { schema: { ...binarySchema(type), maxLength: maxBytes } }]),
      ),
    }),
  }
}

/** The part of a form that is a file: generators know it by these two words alone. */
const filePartSchema = { type: 'string', format: 'binary', ...binarySchema('*/*') } as const

/** Bytes, of which JSON Schema can say no more than what they are. */
function binarySchema(type: string): JsonSchema {
  return { contentMediaType: type.includes('*') ? 'application/octet-stream' : type }
}

/** `editions/:index/scan`; the place in a second list on the way is `:index2`. */
function templateOf({ segments }: ResourcePath): string {
  let lists = 0
  return segments.map((step) => (step === '*' ? `:${indexParameterName(lists++)}` : step)).join('/')
}
