import { memberKey } from '../pull/source-text.ts'
import { describedModels, jsonApiMediaType, parameterNamed } from './described-model.ts'
import { type DocumentNode, documentReader } from './document-reader.ts'
import type { ModelContext } from './item-members.ts'
import { manifestEntry } from './manifest-text.ts'
import { modelText } from './model-text.ts'
import { declareConditions, filterType } from './query-types-text.ts'
import { TypeNames } from './type-names.ts'
import { indented, typeWriter } from './type-writer.ts'

/**
 * The source text of a client: the types and the manifest of the service that an OpenAPI document
 * describes. It is the same for the same document.
 * @throws Error if the document describes no models
 *
 * ```ts
 * writeFileSync('api.ts', writeClient(router.toOpenApi()))
 * ```
 */
export function writeClient(document: object): string {
  const reader = documentReader(document)
  const text = JSON.stringify(document)
  const isResource = text.includes(`"${jsonApiMediaType}"`)
  const models = describedModels(reader, isResource ? jsonApiMediaType : 'application/json')
  if (models.length === 0) throw new Error('The OpenAPI document describes no models.')
  const names = new TypeNames()
  const writer = typeWriter(reader, names)
  const contexts = models.map((model): ModelContext => ({ reader, writer, model, isResource }))
  const conditionsOf = new Map(
    contexts.map((context) => [context.model.plural, declareConditions(context, names)]),
  )
  const byPlural = new Map(models.map((model) => [model.plural, model]))
  const entries = contexts.map((context) => {
    const { model } = context
    const own = conditionsOf.get(model.plural)
    const filter = own === undefined ? undefined : filterType(model, own, byPlural, conditionsOf)
    const entry = modelText(context, names, filter, byPlural)
    return `readonly ${memberKey(model.plural)}: {\n${indented(entry)}\n}`
  })
  const manifest = [
    `policy: '${isResource ? 'json-api' : 'rest'}',`,
    ...(repeatsWrites() ? ['repeatsWrites: true,'] : []),
    `models: {\n${indented(contexts.map((context) => `${manifestEntry(context)},`).join('\n'))}\n},`,
  ]
  const types = names.text()
  const imports = ['FileInfo', 'Manifest', 'RelatedConditions'].filter(
    (name) => name === 'Manifest' || new RegExp(`\\b${name}\\b`).test(types),
  )
  return `${[
    '// Written by `resourcery client`; `--check` says whether it is what the service has now.',
    `import type { ${imports.join(', ')} } from 'resourcery/client'`,
    '',
    types,
    '',
    '/** The models of the service, as types. */',
    `export type Api = {\n${indented(entries.join('\n'))}\n}`,
    '',
    '/** What the client has to know when it runs. */',
    `export const manifest: Manifest<Api> = {\n${indented(manifest.join('\n'))}\n}`,
  ].join('\n')}\n`

  function repeatsWrites(): boolean {
    return models.some(
      ({ list, one }: { readonly list: DocumentNode; readonly one: DocumentNode }) =>
        parameterNamed(reader, list.post ?? one.patch ?? one.delete, 'Idempotency-Key'),
    )
  }
}
