import { existsSync } from 'node:fs'

/**
 * A file of the package, relative to a module; undefined where a bundler has left it out.
 * @param moduleUrl `import.meta.url`, which bundles of CommonJS do not have
 */
export function findPackageFile(path: string, moduleUrl: string | undefined): URL | undefined {
  if (!moduleUrl) return undefined
  const url = new URL(path, moduleUrl)
  return existsSync(url) ? url : undefined
}

/** What a developer does about a file that is missing. */
export const bundlingAdvice =
  "Keep resourcery out of the bundle: '--external:resourcery' for esbuild, 'serverExternalPackages' for Next.js."

const warned = new Set<string>()

/** Warns once for each text. */
export function warnAboutBundle(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(`${text} ${bundlingAdvice}`, { code: 'RESOURCERY_BUNDLED' })
}
