import { build } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
import { generate } from 'orval'
import { generateApi } from 'swagger-typescript-api'

// Clients of generators that are used without looking at what they make: with their defaults, but
// for `fetch` in the place of axios.

/**
 * Of the types that an upload can be sent in, orval takes one: it has to be named the form, or it
 * would send bytes as JSON.
 */
const bodies = ['application/json', 'application/vnd.api+json', 'multipart/form-data']

/** The client that orval makes of a document, as one file. */
export async function generateByOrval(
  document: object,
  file: string,
  baseUrl: string,
): Promise<void> {
  const override = { contentType: { include: bodies } }
  await generate({
    input: { target: document as Readonly<Record<string, unknown>> },
    output: { target: file, client: 'fetch', mode: 'single', baseUrl, override },
  })
}

/** The client that kubb makes of a document, as a folder. */
export async function generateByKubb(document: object, folder: string): Promise<void> {
  const { error } = await build({
    config: {
      // It writes below the current folder, whatever the root is.
      root: process.cwd(),
      input: { data: document },
      output: { path: folder, extension: { '.ts': '.ts' } },
      plugins: [
        pluginOas({ validate: false, generators: [] }),
        pluginTs(),
        pluginClient({ client: 'fetch', bundle: true }),
      ],
    },
  })
  if (error) throw error
}

/** The client that swagger-typescript-api makes of a document, as one file. */
export async function generateBySwaggerTypescriptApi(
  document: object,
  folder: string,
): Promise<void> {
  await generateApi({
    spec: document as never,
    output: folder,
    fileName: 'api.ts',
    httpClientType: 'fetch',
    silent: true,
  })
}
