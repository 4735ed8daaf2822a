/** A node of a JSON document. */
// biome-ignore lint/suspicious/noExplicitAny: documents may come from the network
export type DocumentNode = any

/** Follows the references of one OpenAPI document. */
export interface DocumentReader {
  readonly document: DocumentNode
  /** The node itself, or that which its `$ref` leads to. */
  resolve(node: DocumentNode): DocumentNode
}

/** @throws Error if there is no OpenAPI 3 document */
export function documentReader(document: DocumentNode): DocumentReader {
  if (!/^3\./.test(document?.openapi ?? ''))
    throw new Error(`Expected an OpenAPI document of version 3; got '${document?.openapi}'.`)
  const resolve = (node: DocumentNode): DocumentNode => {
    const reference: unknown = node?.$ref
    if (typeof reference !== 'string') return node
    const found = reference
      .slice(2)
      .split('/')
      .reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document)
    if (found === undefined) throw new Error(`The document has nothing at '${reference}'.`)
    return resolve(found)
  }
  return { document, resolve }
}
