import { contentOf, jsonApiMediaType } from './described-model.ts'
import type { DocumentNode } from './document-reader.ts'
import type { ModelContext } from './item-members.ts'
import { literal, templatePart, union } from './type-writer.ts'

/** An action, as a path of an item shows it. */
export interface DescribedAction {
  readonly name: string
  readonly segment: string
  readonly operation: DocumentNode
  /** Does it respond with something else than the item? */
  readonly hasOutput: boolean
}

/** POST at a path where nothing can be read. */
export function actionsOf(context: ModelContext): readonly DescribedAction[] {
  const { reader, model, isResource } = context
  const mediaType = isResource ? jsonApiMediaType : 'application/json'
  return [...model.belowItem].flatMap(([segment, { get, post }]) => {
    if (segment.includes('/') || get || !post) return []
    const output = contentOf(reader, post, mediaType)
    const properties = Object.keys(output?.properties ?? {})
    const hasItem = isResource
      ? properties.includes('data')
      : output === documentOf(context, mediaType)
    const name = segment.replaceAll(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())
    return [{ name, segment, operation: post, hasOutput: output !== undefined && !hasItem }]
  })
}

function documentOf(
  { reader, model: { one, list } }: ModelContext,
  mediaType: string,
): DocumentNode {
  return contentOf(reader, one.get ?? one.patch ?? list.post, mediaType)
}

/** A union of paths. */
export function pathsType(paths: readonly string[]): string {
  const typeOf = (path: string) =>
    // The index of a value in a list.
    /\{\w+\}/.test(path)
      ? `\`${templatePart(path).replaceAll(/\{\w+\}/g, '$\u007bnumber}')}\``
      : literal(path)
  return union(paths.map(typeOf))
}

/** The paths of files: all that can be read, and those that can be written. */
export function filesOf({ reader, model }: ModelContext): {
  readonly downloads: readonly string[]
  readonly uploads: readonly string[]
} {
  const files = [...model.belowItem].filter(([, { get }]) => {
    const { content = {} } = reader.resolve(get?.responses?.[200]) ?? {}
    const types = Object.keys(content)
    return types.length > 0 && !types.some((type) => /json|event-stream/.test(type))
  })
  return {
    downloads: files.map(([path]) => path),
    uploads: files.filter(([, { post }]) => post).map(([path]) => path),
  }
}
