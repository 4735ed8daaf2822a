import { unknownName } from '../../error/unknown-name.ts'
import type { Schema } from '../../schema/standard-schema.ts'
import {
  defaultMaxPixels,
  type ImageOptions,
  type ResourceDefinition,
  type VariantFormat,
} from '../declare/resource.ts'
import { isList, isStruct } from '../declare/struct.ts'
import type { FieldDescription, ResourcePath } from '../model-description.ts'
import { checkWireName } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import type { NestedResources, ResourceField } from '../resource-field.ts'
import { describeColumn } from './describe-storage.ts'

export const defaultResources: Readonly<
  Record<ResourceDefinition['media'], Pick<ResourceField, 'maxBytes' | 'types'>>
> = {
  file: { maxBytes: 52_428_800, types: ['*/*'] },
  image: {
    maxBytes: 10_485_760,
    types: ['image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/gif'],
  },
  audio: {
    maxBytes: 52_428_800,
    types: [
      'audio/mpeg',
      'audio/mp4',
      'audio/aac',
      'audio/ogg',
      'audio/wav',
      'audio/flac',
      'audio/webm',
    ],
  },
}

const variantFormats: readonly VariantFormat[] = ['png', 'jpeg', 'webp', 'avif']
const mediaTypePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$|^\*\/\*$/

/** @throws RegistrationError if the options are invalid or contradict each other */
export function describeResource(
  subject: string,
  name: string,
  { media, options }: ResourceDefinition,
): ResourceField {
  const {
    maxBytes = defaultResources[media].maxBytes,
    types = defaultResources[media].types,
    maxPixels = defaultMaxPixels,
  }: ImageOptions = options
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new RegistrationError(
      `${subject} has the invalid maxBytes ${maxBytes}; expected an integer of at least 1.`,
    )
  if (types.length === 0)
    throw new RegistrationError(
      `${subject} has an empty list of types. Name a media type, or remove the option 'types'.`,
    )
  const invalidType = types.find((type) => !mediaTypePattern.test(type))
  if (invalidType !== undefined)
    throw new RegistrationError(
      `${subject} has the invalid type '${invalidType}'; expected a media type in lower case without parameters, such as 'image/png' or 'text/*'.`,
    )
  if (options.hidden && options.readOnly)
    throw new RegistrationError(`${subject} is hidden and readOnly. Use one of them.`)
  const wireName = checkWireName(subject, name, options.wire)
  return Object.freeze({
    kind: 'resource',
    name,
    wireName,
    description: options.description,
    media,
    maxBytes,
    maxPixels: media === 'image' ? maxPixels : undefined,
    types: Object.freeze([...types]),
    variants: variantsOf(subject, media, options),
    visibility: options.hidden ? 'hidden' : options.readOnly ? 'readOnly' : 'visible',
    storage: describeColumn(subject, wireName, options),
  })
}

function variantsOf(
  subject: string,
  media: ResourceDefinition['media'],
  { variants }: ImageOptions,
): ResourceField['variants'] {
  if (variants === undefined) return []
  if (media !== 'image')
    throw new RegistrationError(`${subject} has variants; only images can have variants.`)
  const unknownFormat = variants.formats.find((format) => !variantFormats.includes(format))
  if (unknownFormat !== undefined)
    throw new RegistrationError(
      unknownName(
        `${subject} has variants of the unknown format '${unknownFormat}'`,
        unknownFormat,
        variantFormats,
      ),
    )
  const invalidSize = variants.sizes.find(
    (size) => !Number.isInteger(size) || size < 1 || size > 8_192,
  )
  if (invalidSize !== undefined)
    throw new RegistrationError(
      `${subject} has variants of the invalid size ${invalidSize}; expected an integer from 1 to 8192 (pixels).`,
    )
  if (variants.formats.length === 0 || variants.sizes.length === 0)
    throw new RegistrationError(
      `${subject} has variants without ${variants.formats.length === 0 ? 'formats' : 'sizes'}. Name at least one.`,
    )
  const sizes = [...new Set(variants.sizes)]
  return Object.freeze(
    [...new Set(variants.formats)].flatMap((format) =>
      sizes.map((size) => Object.freeze({ format, size })),
    ),
  )
}

/** The resources inside a value of this schema; undefined if it has none. */
export function findNestedResources(
  subject: string,
  schema: Schema | ResourceDefinition,
): NestedResources | undefined {
  if ('kind' in schema && schema.kind === 'resource')
    return describeNestedResource(subject, schema as ResourceDefinition)
  if (isList(schema)) {
    const items = findNestedResources(`an item of ${subject}`, schema.items)
    return items && { kind: 'list', items }
  }
  if (!isStruct(schema)) return undefined
  const members = new Map<string, NestedResources>()
  for (const [name, member] of Object.entries(schema.members)) {
    const nested = findNestedResources(`the member '${name}' of ${subject}`, member)
    if (nested) members.set(name, nested)
  }
  return members.size === 0 ? undefined : { kind: 'struct', members }
}

function describeNestedResource(subject: string, definition: ResourceDefinition): NestedResources {
  const { options } = definition
  const option = options.hidden
    ? 'hidden'
    : (['wire', 'column', 'was'] as const).find((name) => options[name] !== undefined)
  if (option)
    throw new RegistrationError(
      `${subject} is a resource inside a value, so it cannot have the option '${option}'.`,
    )
  return { kind: 'resource', field: describeResource(subject, 'resource', definition) }
}

/** The paths of all resources in the items of a model, in the order of declaration. */
export function resourcePathsOf(fields: readonly FieldDescription[]): readonly ResourcePath[] {
  return fields.flatMap((itemField): ResourcePath[] => {
    const segments = [itemField.wireName]
    if (itemField.kind === 'resource') return [{ itemField, field: itemField, segments }]
    return itemField.kind === 'value' && itemField.nestedResources
      ? nestedPathsOf(itemField.nestedResources, segments, itemField)
      : []
  })
}

function nestedPathsOf(
  nested: NestedResources,
  segments: readonly string[],
  itemField: ResourcePath['itemField'],
): ResourcePath[] {
  switch (nested.kind) {
    case 'resource':
      return [{ itemField, field: nested.field, segments }]
    case 'list':
      return nestedPathsOf(nested.items, [...segments, '*'], itemField)
    case 'struct':
      return [...nested.members].flatMap(([name, member]) =>
        nestedPathsOf(member, [...segments, name], itemField),
      )
  }
}
