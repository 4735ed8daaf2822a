import { memberKey } from '../pull/source-text.ts'
import { contentOf, jsonApiMediaType } from './described-model.ts'
import type { DocumentNode } from './document-reader.ts'
import type { ModelContext } from './item-members.ts'
import type { DescribedAction } from './item-paths.ts'
import { indented } from './type-writer.ts'

/** What the actions of a model take and respond with. */
export function actionsType(context: ModelContext, actions: readonly DescribedAction[]): string {
  if (actions.length === 0) return 'Record<never, never>'
  const members = actions.map(({ name, operation, hasOutput }) => {
    const parts = [
      ...inputMembers(context, operation),
      ...(hasOutput ? [`readonly output: ${outputType(context, operation)}`] : []),
    ]
    const body = parts.length > 0 ? `\n${indented(parts.join('\n'))}\n` : ''
    return `readonly ${memberKey(name)}: {${body}}`
  })
  return `{\n${indented(members.join('\n'))}\n}`
}

function inputMembers(
  { reader, writer, isResource }: ModelContext,
  operation: DocumentNode,
): readonly string[] {
  const { content, required } = reader.resolve(operation.requestBody) ?? {}
  const schema = content?.[mediaTypeOf(isResource)]?.schema
  if (schema === undefined) return []
  const type = writer.typeOf(isResource ? reader.resolve(schema).properties.meta : schema, 'input')
  return [`readonly input: ${type}${required ? '' : ' | undefined'}`]
}

function outputType({ reader, writer, isResource }: ModelContext, operation: DocumentNode): string {
  const mediaType = mediaTypeOf(isResource)
  if (isResource)
    return writer.typeOf(contentOf(reader, operation, mediaType).properties.meta, 'output')
  return writer.typeOf(reader.resolve(operation.responses[200]).content[mediaType].schema, 'output')
}

function mediaTypeOf(isResource: boolean): string {
  return isResource ? jsonApiMediaType : 'application/json'
}
