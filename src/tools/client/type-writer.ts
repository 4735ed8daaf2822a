import { memberKey, quoted } from '../pull/source-text.ts'
import type { DocumentNode, DocumentReader } from './document-reader.ts'
import type { TypeNames } from './type-names.ts'

/** Whether a type is for what clients send or for what they receive. */
export type Direction = 'input' | 'output'

/** Writes JSON Schemas as types. */
export interface TypeWriter {
  typeOf(schema: DocumentNode, direction: Direction): string
}

/** Schemas with a name in the document become types with this name, in `names`. */
export function typeWriter(reader: DocumentReader, names: TypeNames): TypeWriter {
  const typeOf = (schema: DocumentNode, direction: Direction): string => {
    if (typeof schema !== 'object' || schema === null) return 'unknown'
    if (typeof schema.$ref === 'string') {
      const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
      const suffix = direction === 'input' && !name.endsWith('Input') ? 'Input' : ''
      return names.declareOnce(`${schema.$ref} ${direction}`, name + suffix, () =>
        typeOf(reader.resolve(schema), direction),
      )
    }
    if ('const' in schema) return literal(schema.const)
    if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ') || 'never'
    const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
    if (parts.length > 0) return union(parts.map((part) => typeOf(part, direction)))
    if (schema.allOf?.length > 0)
      return schema.allOf.map((part: DocumentNode) => `(${typeOf(part, direction)})`).join(' & ')
    const types: readonly string[] = [schema.type ?? []].flat()
    return types.length === 0
      ? 'unknown'
      : union([
          ...types.map((type) => typeOfKind(type, schema, direction)),
          ...(schema.nullable ? ['null'] : []),
        ])
  }
  const typeOfKind = (type: string, schema: DocumentNode, direction: Direction): string => {
    switch (type) {
      case 'array':
        if (Array.isArray(schema.prefixItems)) {
          const members = schema.prefixItems.map((item: DocumentNode) => typeOf(item, direction))
          return `[${members.join(', ')}]`
        }
        return arrayOf(typeOf(schema.items, direction))
      case 'object': {
        const { properties = {}, additionalProperties } = schema
        if (Object.keys(properties).length > 0)
          return `{\n${indented(membersText(membersOf(schema, direction), direction))}\n}`
        const isOpen = typeof additionalProperties === 'object'
        return `Record<string, ${isOpen ? typeOf(additionalProperties, direction) : 'unknown'}>`
      }
      case 'integer':
      case 'number':
        return 'number'
      case 'string':
      case 'boolean':
      case 'null':
        return type
      // The document may be a stranger's, and no text of it gets into the code as it is.
      default:
        return 'unknown'
    }
  }
  const membersOf = (schema: DocumentNode, direction: Direction): readonly MemberText[] =>
    Object.entries<DocumentNode>(schema.properties ?? {})
      .filter(([, member]) => direction === 'output' || member.readOnly !== true)
      .map(([name, member]) => ({
        name,
        type: typeOf(member, direction),
        isOptional: !schema.required?.includes(name),
        description: member.description,
      }))
  return { typeOf }
}

/** A member of an interface. */
export interface MemberText {
  readonly name: string
  readonly type: string
  readonly isOptional?: boolean
  readonly description?: string | undefined
}

export function membersText(members: readonly MemberText[], direction: Direction): string {
  return members.map((member) => memberText(member, direction)).join('\n')
}

export function memberText(
  { name, type, isOptional, description }: MemberText,
  direction: Direction,
): string {
  const undefinedText = isOptional && direction === 'input' ? ' | undefined' : ''
  const member = `${memberKey(name)}${isOptional ? '?' : ''}: ${type}${undefinedText}`
  return description ? `${docComment(description)}\n${member}` : member
}

/** A comment on one line; what it quotes must not end it. */
export function docComment(text: string): string {
  return `/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim()} */`
}

export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

export function arrayOf(type: string): string {
  return /^[\w$.]+$/.test(type) ? `${type}[]` : `(${type})[]`
}

export function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'never'
}

export function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'object' && value !== null ? 'unknown' : String(value)
}

/** A part of a template literal type. */
export function templatePart(text: string): string {
  return text.replaceAll(/[\\`$]/g, '\\$&')
}
