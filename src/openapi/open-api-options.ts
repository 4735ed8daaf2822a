import type { OptionChecks } from '../model/check-options.ts'
import type { ExternalDocs, Info, OpenApiVersion, ServerAddress, Tag } from './document.ts'

/** The parts of a document that rules do not contain. */
export interface OpenApiOptions {
  /** Title and version of the API. Default: `{ title: 'API', version: '1' }`. */
  readonly info?: Info
  /** The version of OpenAPI. Default: `3.1.2`. */
  readonly version?: OpenApiVersion
  /** Default: the base path of the router, relative to the document. */
  readonly servers?: readonly ServerAddress[]
  /**
   * Descriptions of tags, which are the plurals of models; other tags follow them. Default: none.
   */
  readonly tags?: readonly Tag[]
  /** Where the API is described further. Default: none. */
  readonly externalDocs?: ExternalDocs
  /**
   * Describes `fields`, which selects members of items, and items that lack some members. Default:
   * true. With false, all required members are always there, which typed clients prefer.
   */
  readonly fields?: boolean
}

export const defaultInfo: Info = Object.freeze({ title: 'API', version: '1' })

export const openApiOptions: OptionChecks<OpenApiOptions> = {
  info: true,
  version: ['3.0.4', '3.1.2', '3.2.0'],
  servers: true,
  tags: true,
  externalDocs: true,
  fields: 'boolean',
}
