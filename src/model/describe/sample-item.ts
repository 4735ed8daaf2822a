import type { FieldDescription } from '../model-description.ts'
import type { ValueType } from '../value-type.ts'

/** Values for the constructor of a model: the first example of each field, or a default value. */
export function createSampleItem(
  fields: readonly FieldDescription[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries([
    ['id', 'sample'],
    ...fields.map((field) => [field.name, sampleOf(field)]),
  ])
}

function sampleOf(field: FieldDescription): unknown {
  switch (field.kind) {
    case 'value':
      return field.examples[0] ?? defaultSample(field.type)
    case 'toOne':
      return { id: 'sample' }
    case 'toMany':
      return []
    case 'hash':
      return 'sample'
    case 'resource':
      return null
    case 'inverse':
      return undefined
  }
}

function defaultSample(type: ValueType): unknown {
  switch (type.kind) {
    case 'text':
      return ''
    case 'number':
    case 'integer':
      return 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'struct':
      return Object.fromEntries(
        [...type.members].map(([name, member]) => [name, defaultSample(member.type)]),
      )
    case 'opaque':
      return undefined
  }
}
