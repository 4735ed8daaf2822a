import type { Schema } from '../../schema/standard-schema.ts'
import {
  defaultMaxPixels,
  type ImageOptions,
  type ResourceDefinition,
  type VariantFormat,
} from '../declare/resource.ts'
import { isList, isStruct } from '../declare/struct.ts'
import type {
  FieldDescription,
  NestedResources,
  ResourceField,
  ResourcePath,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { checkWireName } from './check-wire-name.ts'

/** What a resource may be of each kind, where its model does not say. */
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

/** Reads a resource field off its options, and refuses what contradicts itself. */
export function describeResource(
  place: string,
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
      `${place} has a maxBytes of ${maxBytes}; it is a whole number of bytes, at least 1.`,
    )
  if (types.length === 0)
    throw new RegistrationError(`${place} allows no media type; name one, or leave 'types' out.`)
  const wrong = types.find((type) => !mediaTypePattern.test(type))
  if (wrong !== undefined)
    throw new RegistrationError(
      `${place} allows the type '${wrong}', which is no media type; write it in lower case and without parameters, such as 'image/png' or 'text/*'.`,
    )
  if (options.hidden && options.readOnly)
    throw new RegistrationError(`${place} is hidden and readOnly; choose one of them.`)
  return Object.freeze({
    kind: 'resource',
    name,
    wireName: checkWireName(place, name, options.wire),
    description: options.description,
    media,
    maxBytes,
    maxPixels: media === 'image' ? maxPixels : undefined,
    types: Object.freeze([...types]),
    variants: variantsOf(place, media, options),
    visibility: options.hidden ? 'hidden' : options.readOnly ? 'readOnly' : 'visible',
  })
}

function variantsOf(
  place: string,
  media: ResourceDefinition['media'],
  { variants }: ImageOptions,
): ResourceField['variants'] {
  if (variants === undefined) return []
  if (media !== 'image')
    throw new RegistrationError(`${place} has variants, which only images have.`)
  const unknown = variants.formats.find((format) => !variantFormats.includes(format))
  if (unknown !== undefined)
    throw new RegistrationError(
      `${place} has variants of the format '${unknown}'; there are ${variantFormats.join(', ')}.`,
    )
  const odd = variants.sizes.find((size) => !Number.isInteger(size) || size < 1 || size > 8_192)
  if (odd !== undefined)
    throw new RegistrationError(
      `${place} has variants of the size ${odd}; it is a whole number of pixels from 1 to 8192.`,
    )
  if (variants.formats.length === 0 || variants.sizes.length === 0)
    throw new RegistrationError(
      `${place} has variants without ${variants.formats.length === 0 ? 'formats' : 'sizes'}.`,
    )
  const sizes = [...new Set(variants.sizes)]
  return Object.freeze(
    [...new Set(variants.formats)].flatMap((format) =>
      sizes.map((size) => Object.freeze({ format, size })),
    ),
  )
}

/** The resources inside a value of this schema; undefined where there are none. */
export function findNestedResources(
  place: string,
  schema: Schema | ResourceDefinition,
): NestedResources | undefined {
  if ('kind' in schema && schema.kind === 'resource')
    return describeNestedResource(place, schema as ResourceDefinition)
  if (isList(schema)) {
    const items = findNestedResources(`${place}, in its items,`, schema.items)
    return items && { kind: 'list', items }
  }
  if (!isStruct(schema)) return undefined
  const members = new Map<string, NestedResources>()
  for (const [name, member] of Object.entries(schema.members)) {
    const inside = findNestedResources(`the member '${name}' of ${place}`, member)
    if (inside) members.set(name, inside)
  }
  return members.size === 0 ? undefined : { kind: 'struct', members }
}

function describeNestedResource(place: string, definition: ResourceDefinition): NestedResources {
  const { wire, hidden } = definition.options
  if (wire !== undefined || hidden)
    throw new RegistrationError(
      `${place} is a resource inside a value, so it cannot be ${hidden ? 'hidden' : "renamed by 'wire'"}.`,
    )
  return { kind: 'resource', field: describeResource(place, 'resource', definition) }
}

/** Where a model's items have resources, in the order of declaration. */
export function resourcePathsOf(fields: readonly FieldDescription[]): readonly ResourcePath[] {
  return fields.flatMap((top): ResourcePath[] => {
    if (top.kind === 'resource') return [{ itemField: top, field: top, segments: [top.wireName] }]
    return top.kind === 'value' && top.nestedResources
      ? nestedPathsOf(top.nestedResources, [top.wireName], top)
      : []
  })
}

function nestedPathsOf(
  inside: NestedResources,
  way: readonly string[],
  top: ResourcePath['itemField'],
): ResourcePath[] {
  switch (inside.kind) {
    case 'resource':
      return [{ itemField: top, field: inside.field, segments: way }]
    case 'list':
      return nestedPathsOf(inside.items, [...way, '*'], top)
    case 'struct':
      return [...inside.members].flatMap(([name, member]) =>
        nestedPathsOf(member, [...way, name], top),
      )
  }
}
