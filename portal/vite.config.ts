import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from './compress.ts'
import { GROUPS } from './groups.ts'
import { preloadNeeded } from './preload.ts'

/** The gateway that `npm run dev` talks to. */
const GATEWAY = 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadNeeded(), precompress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: true,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: {
    proxy: {
      '/portal/api': { target: GATEWAY, headers: { origin: GATEWAY } },
      '/docs': GATEWAY,
      '/openapi.json': GATEWAY,
    },
  },
})
