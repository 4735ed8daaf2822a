import { type DescribedModel, propertiesOf } from './described-model.ts'
import type { DocumentNode, DocumentReader } from './document-reader.ts'
import type { Direction, MemberText, TypeWriter } from './type-writer.ts'

/** What the writers of one model share. */
export interface ModelContext {
  readonly reader: DocumentReader
  readonly writer: TypeWriter
  readonly model: DescribedModel
  readonly isResource: boolean
}

/** The members of an item as calls return it, or take it: flat under both policies. */
export function itemMembers(
  { reader, writer, isResource }: ModelContext,
  schema: DocumentNode,
  direction: Direction,
): readonly MemberText[] {
  const properties = propertiesOf(reader, schema)
  if (!isResource) return plainMembers(writer, properties, schema.required ?? [], direction)
  const attributes = reader.resolve(properties.attributes) ?? {}
  const { relationships, links = {} } = properties
  const files = Object.fromEntries(
    Object.entries<DocumentNode>(links.properties ?? {}).filter(([name]) => name !== 'self'),
  )
  const id = plainMembers(writer, { id: properties.id }, schema.required ?? [], direction)
  return [
    ...id,
    ...plainMembers(writer, attributes.properties ?? {}, attributes.required ?? [], direction),
    ...relationMembers(reader, reader.resolve(relationships) ?? {}, direction),
    ...(direction === 'output'
      ? Object.keys(files).map((name) => ({
          name,
          type: 'FileInfo | null',
          isOptional: !links.required?.includes(name),
        }))
      : []),
  ]
}

function plainMembers(
  writer: TypeWriter,
  properties: DocumentNode,
  required: readonly string[],
  direction: Direction,
): readonly MemberText[] {
  return Object.entries<DocumentNode>(properties)
    .filter(([name, schema]) => direction === 'output' || isSent(name, schema))
    .map(([name, schema]) => ({
      name,
      type: memberType(writer, name, schema, direction),
      isOptional: !required.includes(name),
      description: schema?.description,
    }))
}

function memberType(
  writer: TypeWriter,
  name: string,
  schema: DocumentNode,
  direction: Direction,
): string {
  // A null is the same as no id.
  if (name === 'id') return 'string'
  return isFile(schema) ? 'FileInfo | null' : writer.typeOf(schema, direction)
}

/** An id stands in the path of an update, and the service sets what is `readOnly`. */
function isSent(name: string, schema: DocumentNode): boolean {
  if (schema?.readOnly === true) return false
  return (
    name !== 'id' || (schema?.['x-resourcery-depends-on'] === undefined && schema?.type !== 'null')
  )
}

function isFile({ anyOf }: DocumentNode): boolean {
  return anyOf?.some(({ $ref }: DocumentNode) => $ref?.endsWith('/BinaryResource')) ?? false
}

/** Relations are ids. */
function relationMembers(
  reader: DocumentReader,
  { properties = {}, required = [] }: DocumentNode,
  direction: Direction,
): readonly MemberText[] {
  return Object.entries<DocumentNode>(properties)
    .filter(([, relationship]) => direction === 'output' || relationship.readOnly !== true)
    .map(([name, relationship]) => {
      const whole = relationship.anyOf?.[0] ?? relationship
      const { data } = whole.properties
      const isNullable = data.anyOf?.some(({ type }: DocumentNode) => type === 'null')
      const type = reader.resolve(data).type === 'array' ? 'string[]' : 'string'
      return {
        name,
        type: isNullable ? `${type} | null` : type,
        // Long linkage is sent as a link only.
        isOptional: !required.includes(name) || !(whole.required ?? ['data']).includes('data'),
        description: relationship.description,
      }
    })
}
