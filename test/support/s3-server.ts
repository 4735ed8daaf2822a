import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export interface S3Server {
  readonly endpoint: string
  readonly bucket: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** The names of all objects, and the ids of all uploads, on its disk. */
  listFiles(): Promise<readonly string[]>
  /** What it does with requests from now on; `serve` by default. */
  behave(how: (request: IncomingMessage) => 'serve' | 'silence' | 'hang-up' | 'refuse'): void
  close(): Promise<void>
}

const bucket = 'blobs'
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'a secret' }
/** The page size of the list of uploads: small, so that lists have several pages. */
const uploadsOfPage = 2

/**
 * An S3 server from npm. It does not check signatures of version 4, has no AbortMultipartUpload and
 * no ListMultipartUploads, and accepts parts of unknown uploads; this file adds these, following
 * the S3 reference.
 */
export async function s3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 's3-server-'))
  const uploads = join(directory, bucket, '._S3rver_uploads')
  const s3rver = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  deleteWithoutListing((s3rver as unknown as { readonly store: ObjectFiles }).store)
  await s3rver.configureBuckets()
  const serve = s3rver.callback() as (req: IncomingMessage, res: ServerResponse) => void
  let behaviour: Parameters<S3Server['behave']>[0] = () => 'serve'

  const response = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const url = new URL(req.url!, 'http://localhost')
    const uploadId = url.searchParams.get('uploadId')
    if (!isSigned(req, url, credentials.secretAccessKey)) {
      req.resume()
      return reply(
        res,
        403,
        '<Error><Code>SignatureDoesNotMatch</Code><Message>It does not.</Message></Error>',
      )
    }
    if (req.method === 'GET' && url.searchParams.has('uploads'))
      return reply(res, 200, await uploadList(uploads, url))
    if (uploadId === null) return serve(req, res)
    if (!(await readdir(uploads).catch((): string[] => [])).includes(uploadId)) {
      req.resume()
      return reply(res, 404, '<Error><Code>NoSuchUpload</Code></Error>')
    }
    if (req.method !== 'DELETE') return serve(req, res)
    await rm(join(uploads, uploadId), { recursive: true })
    reply(res, 204, '')
  }

  const server = createServer((req, res) => {
    const how = behaviour(req)
    if (how === 'serve') response(req, res).catch((error) => reply(res, 500, String(error)))
    else if (how === 'hang-up') req.socket.destroy()
    else if (how === 'refuse') reply(res, 503, '<Error><Code>SlowDown</Code></Error>')
    else req.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    credentials,
    async listFiles() {
      const names = await readdir(join(directory, bucket), { recursive: true })
      const objects = names.filter((name) => name.endsWith('._S3rver_object'))
      return [...objects, ...(await readdir(uploads).catch((): string[] => []))]
    },
    behave(how) {
      behaviour = how
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The files of objects, as s3rver keeps them. */
interface ObjectFiles {
  getResourcePath(bucket: string, key: string, resource: string): string
  deleteObject(bucket: string, key: string): Promise<void>
}

/**
 * Leaves empty folders behind. To find out which are empty, s3rver reads the whole folder with each
 * object that it deletes: millions of names for a thousand objects.
 */
function deleteWithoutListing(files: ObjectFiles): void {
  files.deleteObject = async (bucketName, key) => {
    const parts = ['object', 'object.md5', 'metadata.json']
    await Promise.all(
      parts.map((part) => rm(files.getResourcePath(bucketName, key, part), { force: true })),
    )
  }
}

async function uploadList(uploads: string, url: URL): Promise<string> {
  const lists = await Promise.all(
    (await readdir(uploads).catch((): string[] => [])).map(async (id) => {
      const key = await readFile(join(uploads, id, 'key'), 'utf8').catch(() => undefined)
      const initiated = await stat(join(uploads, id)).catch(() => undefined)
      return { id, key, initiated: initiated?.birthtime.toISOString() }
    }),
  )
  const prefix = url.searchParams.get('prefix') ?? ''
  const after = `${url.searchParams.get('key-marker') ?? ''} ${url.searchParams.get('upload-id-marker') ?? ''}`
  const listed = lists
    .filter(({ key, id }) => key?.startsWith(prefix) && `${key} ${id}` > after)
    .sort((entry, other) => (`${entry.key} ${entry.id}` < `${other.key} ${other.id}` ? -1 : 1))
  const page = listed.slice(0, uploadsOfPage)
  const last = page.at(-1)
  const markers =
    last &&
    `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
  const entries = page.map(
    ({ id, key, initiated }) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
  )
  return `<ListMultipartUploadsResult>${markers ?? ''}<IsTruncated>${listed.length > page.length}</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`
}

/** Computes signature version 4 from the request that arrived. */
function isSigned(req: IncomingMessage, url: URL, secret: string): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/
  const [, day, region, names, signature] = form.exec(req.headers.authorization ?? '') ?? []
  if (!day || !region || !names || !signature) return false
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (entry) => `%${entry.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  const query = [...url.searchParams].map((pair) => pair.map(encode).join('=')).sort()
  const canonical = [
    req.method,
    url.pathname.split('/').map(decodeURIComponent).map(encode).join('/'),
    query.join('&'),
    ...names
      .split(';')
      .map((name) => `${name}:${String(req.headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    req.headers['x-amz-content-sha256'],
  ].join('\n')
  const hmac = (key: string | Buffer, text: string) =>
    createHmac('sha256', key).update(text).digest()
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const scope = `${day}/${region}/s3/aws4_request`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const text = ['AWS4-HMAC-SHA256', req.headers['x-amz-date'], scope, digest].join('\n')
  return names.split(';').includes('host') && hmac(key, text).toString('hex') === signature
}

function reply(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, {
    'content-type': 'application/xml',
    'content-length': Buffer.byteLength(body),
  })
  res.end(body)
}
