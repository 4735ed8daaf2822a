import { build } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
import { generate } from 'orval'
import { generateApi } from 'swagger-typescript-api'

// Clients of generators with their default settings, except `fetch` instead of axios.

/** orval uses one of the media types of an upload: without the form it would send bytes as JSON. */
const bodies = ['application/json', 'application/vnd.api+json', 'multipart/form-data']

/** Generates the orval client of a document as one file. */
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

/** Generates the kubb client of a document as a folder. */
export async function generateByKubb(document: object, folder: string): Promise<void> {
  const { error } = await build({
    config: {
      // kubb writes below the current folder, whatever the root.
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

/** Generates the swagger-typescript-api client of a document as one file. */
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
