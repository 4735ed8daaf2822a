import type { OptionChecks } from '../model/check-options.ts'
import type { ExternalDocs, Info, OpenApiVersion, ServerAddress, Tag } from './document.ts'

/** What rules do not tell. */
export interface OpenApiOptions {
  /** Title and version of the API; a title that says nothing unless given. */
  readonly info?: Info
  /** `3.1.2` unless given. */
  readonly version?: OpenApiVersion
  /** The mount path of the router, relative to wherever the document is, unless given. */
  readonly servers?: readonly ServerAddress[]
  /** Descriptions for tags, which are the plurals of models; other tags are listed after them. */
  readonly tags?: readonly Tag[]
  readonly externalDocs?: ExternalDocs
  /**
   * Describes `fields`, by which clients choose members of items, and with it items that lack some.
   * True unless given; without it all required members are always there, which typed clients are
   * easier with.
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
