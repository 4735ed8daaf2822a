import { parseAccept, qualityOf } from '../../http/headers/accept.ts'
import type { OpenApiDocument } from '../../openapi/document.ts'
import type { ServedPage } from '../../pipeline/serve-page.ts'
import {
  type CompressedContent,
  compressedResponse,
  createCompressedContent,
} from './compressed-content.ts'
import { callerCaching } from './page-response.ts'

export const documentPath = '/openapi.json'

const jsonMediaType = 'application/json'

/**
 * The OpenAPI document: `application/vnd.oai.openapi+json;version=3.1` for clients that accept it
 * by name (it is not yet registered), else `application/json`. Clients revalidate it, because the
 * service may have changed after a restart.
 */
export function createDocumentPage(
  serializedFor: (caller: unknown) => SerializedDocument,
  callerHeaders: readonly string[] | undefined,
): ServedPage {
  return {
    path: documentPath,
    audience: callerHeaders ? 'caller' : 'everyone',
    respond: (request, caller) => {
      const { content, openApiMediaType } = serializedFor(caller)
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
