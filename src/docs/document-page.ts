import { parseAccept, qualityOf } from '../http/headers/accept.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { compressedResponse, createCompressedContent } from './compressed-content.ts'
import type { DocsPage } from './docs-page.ts'

export const documentPath = '/openapi.json'

const jsonMediaType = 'application/json'

/**
 * The OpenAPI document: `application/vnd.oai.openapi+json;version=3.1` for whoever asks for that
 * (its media type is not yet registered), else `application/json`. It is written when it is first
 * asked for, and asked for anew each time: a service may be another after its next start.
 */
export function createDocumentPage(makeDocument: () => OpenApiDocument): DocsPage {
  let made: ReturnType<typeof serializeDocument> | undefined
  return {
    path: documentPath,
    respond: (request) => {
      made ??= serializeDocument(makeDocument())
      const { content, openApiMediaType } = made
      const headers = {
        'content-type': prefersOpenApiType(request.headers.accept, openApiMediaType)
          ? openApiMediaType
          : jsonMediaType,
        'cache-control': 'no-cache',
        vary: 'Accept',
      }
      return compressedResponse(request, headers, content)
    },
  }
}

function serializeDocument(document: OpenApiDocument) {
  const [major, minor] = document.openapi.split('.')
  return {
    content: createCompressedContent(Buffer.from(JSON.stringify(document))),
    openApiMediaType: `application/vnd.oai.openapi+json;version=${major}.${minor}`,
  }
}

/** Only who names the type is sent it: browsers and most tools know JSON alone. */
function prefersOpenApiType(accept: string | undefined, own: string): boolean {
  if (!accept?.includes('vnd.oai.openapi+json')) return false
  const ranges = parseAccept(accept)
  return qualityOf(ranges, own) >= qualityOf(ranges, jsonMediaType)
}
