import type { ResourceSlot } from '../model/description.ts'
import { isReadable, type ModelView } from '../model/model-view.ts'
import { indexName } from '../rule/index-name.ts'
import type { Parameter } from '../rule/parameter.ts'
import type { ModelRule, RequestShape, ResponseShape } from '../rule/rule.ts'
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
  const bytes: ResponseShape = {
    status: 200,
    description: 'The bytes',
    serializer: changed.serializer,
    parameters: changed.parameters,
    content: 'resource',
    headers: ['etag', 'cache-control', 'content-length', 'accept-ranges', 'content-range', 'content-disposition'],
  }
  const body: RequestShape = {
    kind: 'bytes',
    mediaTypes: [...field.types, 'application/octet-stream', 'multipart/form-data'],
    part: slot.way.at(-1)!,
    maxBytes: field.maxBytes,
  }
  const read = rule('GetResource', 'GET', path, none, bytes)
  const variants = field.variants.map((variant) =>
    ruleMaker({ view, resource: { slot, variant } }, {})(
      'GetResource',
      'GET',
      `${path}/${variant.format}/${variant.size}`,
      none,
      {
        ...bytes,
        description: `The image as ${variant.format}, at most ${variant.size} pixels wide and high`,
      },
    ),
  )
  if (field.visibility === 'readOnly' || top.visibility === 'readOnly') return [read, ...variants]
  const set = rule('SetResource', 'POST', path, body, changed)
  return [read, set, rule('DeleteResource', 'DELETE', path, none, cleared), ...variants]
}

/** `editions/:index/scan`; the place in a second list on the way is `:index2`. */
function templateOf({ way }: ResourceSlot): string {
  let lists = 0
  return way.map((step) => (step === '*' ? `:${indexName(lists++)}` : step)).join('/')
}
