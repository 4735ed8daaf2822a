import { createApiError } from '../../error/api-error.ts'
import { truncate } from '../../error/truncate.ts'
import { parseAccept, qualityOf } from '../../http/headers/accept.ts'
import { parseQuery } from '../../http/query-string.ts'
import type { OpenApiDocument, OpenApiVersion } from '../../openapi/document.ts'
import type { ServedPage } from '../../pipeline/serve-page.ts'
import {
  type CompressedContent,
  compressedResponse,
  createCompressedContent,
} from './compressed-content.ts'
import { callerCaching } from './page-response.ts'

export const documentPath = '/openapi.json'

const jsonMediaType = 'application/json'

const versions: Readonly<Record<string, OpenApiVersion>> = {
  '3.0': '3.0.4',
  '3.1': '3.1.2',
  '3.2': '3.2.0',
}

export const defaultVersion: OpenApiVersion = '3.1.2'

/**
 * The OpenAPI document, in the version that `version` names:
 * `application/vnd.oai.openapi+json;version=3.1` for clients that accept it by name (it is not yet
 * registered), else `application/json`. Clients revalidate it, because the service may have changed
 * after a restart.
 */
export function createDocumentPage(
  serializedFor: (caller: unknown, version: OpenApiVersion) => SerializedDocument,
  callerHeaders: readonly string[] | undefined,
): ServedPage {
  return {
    path: documentPath,
    audience: callerHeaders ? 'caller' : 'everyone',
    respond: (request, caller) => {
      const { content, openApiMediaType } = serializedFor(caller, versionOf(request.query))
      const headers = {
        'content-type': prefersOpenApiType(request.headers.accept, openApiMediaType)
          ? openApiMediaType
          : jsonMediaType,
        ...callerCaching(callerHeaders, ['Accept']),
      }
      return compressedResponse(request, headers, content)
    },
  }
}

/** @throws ApiError for a version that there is not */
function versionOf(query: string): OpenApiVersion {
  const entry = parseQuery(query).findLast(({ key }) => key === 'version')
  if (!entry) return defaultVersion
  const version = Object.hasOwn(versions, entry.value) ? versions[entry.value] : undefined
  if (version) return version
  const names = Object.keys(versions).join(', ')
  throw createApiError(
    'invalid-value',
    `'version' must be one of ${names}; got '${truncate(entry.value)}'.`,
    { parameter: 'version' },
  )
}

export interface SerializedDocument {
  readonly content: CompressedContent
  readonly openApiMediaType: string
}

export function serializeDocument(document: OpenApiDocument): SerializedDocument {
  const [major, minor] = document.openapi.split('.')
  return {
    content: createCompressedContent(Buffer.from(JSON.stringify(document))),
    openApiMediaType: `application/vnd.oai.openapi+json;version=${major}.${minor}`,
  }
}

/** Wildcards do not count: browsers and most tools know JSON only. */
function prefersOpenApiType(accept: string | undefined, openApiMediaType: string): boolean {
  if (!accept?.includes('vnd.oai.openapi+json')) return false
  const ranges = parseAccept(accept)
  return qualityOf(ranges, openApiMediaType) >= qualityOf(ranges, jsonMediaType)
}
