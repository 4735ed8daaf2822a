import type { ResourceSlot } from '../model/description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { indexName } from '../rule/index-name.ts'
import type { Parameter } from '../rule/parameter.ts'
import type { ModelRule, RequestShape, ResponseShape } from '../rule/rule.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { ruleMaker } from './rule-maker.ts'

const none: RequestShape = { kind: 'none' }

/** What a protocol answers with when a resource is set and cleared, and what may be asked of the first. */
export interface ResourceAnswers {
  readonly changed: ResponseShape
  readonly cleared: ResponseShape
  readonly parameters: readonly Parameter[]
}

/** The operations on each binary resource of a model's items, at the place where it stands in them. Alike in every protocol but for the answers. */
export function resourceRules(view: ModelView, answers: ResourceAnswers): readonly ModelRule[] {
  return view.model.slots
    .filter(({ top, field }) => isReadable(view, top) && field.visibility !== 'hidden')
    .flatMap((slot) => rulesOf(view, slot, answers))
}

function rulesOf(
  view: ModelView,
  slot: ResourceSlot,
  { changed, cleared, parameters }: ResourceAnswers,
): readonly ModelRule[] {
  const { field, top } = slot
  const path = `/${view.model.plural}/:id/${templateOf(slot)}`
  const rule = ruleMaker({ view, resource: { slot } }, { item: parameters })
  const bytes = (types: readonly string[], description: string): ResponseShape => ({
    status: 200,
    description,
    serializer: changed.serializer,
    parameters: changed.parameters,
    content: 'resource',
    contents: () => Object.fromEntries(types.map((type) => [type, { schema: binary(type) }])),
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
  const read = (make: typeof rule, below: string, types: readonly string[], description: string) =>
    make('GetResource', 'GET', path + below, none, bytes(types, description), [partOf(bytes(types, description))])
  const variants = field.variants.map((variant) => {
    const { format, size } = variant
    return read(
      ruleMaker({ view, resource: { slot, variant } }, {}),
      `/${format}/${size}`,
      [`image/${format}`],
      `The image as ${format}, at most ${size} pixels wide and high`,
    )
  })
  const own = read(rule, '', field.types, 'The bytes')
  if (field.visibility === 'readOnly' || top.visibility === 'readOnly') return [own, ...variants]
  const set = rule('SetResource', 'POST', path, bodyOf(slot), changed)
  return [own, set, rule('DeleteResource', 'DELETE', path, none, cleared), ...variants]
}

function partOf(whole: ResponseShape): ResponseShape {
  return {
    ...whole,
    status: 206,
    description: 'The part of the bytes that was asked for',
    headers: { ...whole.headers, 'content-range': 'always' },
  }
}

function bodyOf({ field, way }: ResourceSlot): RequestShape {
  const part = way.at(-1)!
  const raw = [...field.types, 'application/octet-stream']
  const { maxBytes } = field
  return {
    kind: 'bytes',
    mediaTypes: [...raw, 'multipart/form-data'],
    part,
    maxBytes,
    // The form first: tools that take only one of several types take the first, and know how to send a form.
    contents: () => ({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { [part]: { ...filePart, maxLength: maxBytes } },
          required: [part],
          additionalProperties: false,
        },
        encoding: { [part]: { contentType: raw.join(', ') } },
      },
      ...Object.fromEntries(raw.map((type) => [type, { schema: { ...binary(type), maxLength: maxBytes } }])),
    }),
  }
}

/** The part of a form that is a file: generators know it by these two words alone. */
const filePart = { type: 'string', format: 'binary', ...binary('*/*') } as const

/** Bytes, of which JSON Schema can say no more than what they are. */
function binary(type: string): JsonSchema {
  return { contentMediaType: type.includes('*') ? 'application/octet-stream' : type }
}

/** `editions/:index/scan`; the place in a second list on the way is `:index2`. */
function templateOf({ way }: ResourceSlot): string {
  let lists = 0
  return way.map((step) => (step === '*' ? `:${indexName(lists++)}` : step)).join('/')
}
