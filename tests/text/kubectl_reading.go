// Prints what kubectl's YAML library makes of texts; the truth behind kubectl_reading.jsonl.
//
// To refresh that file, in an empty folder that holds this one:
//
//	go mod init kubectl_reading
//	go get sigs.k8s.io/yaml@v1.4.0
//	go run kubectl_reading.go <kubectl_reading.jsonl >new.jsonl
package main

import (
	"encoding/json"
	"io"
	"os"

	"sigs.k8s.io/yaml"
)

// vector is a text and the value that kubectl reads; the value is absent when kubectl refuses the text.
type vector struct {
	Text  string           `json:"text"`
	Value *json.RawMessage `json:"value,omitempty"`
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		var v vector
		if err := in.Decode(&v); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		v.Value = nil
		if value, err := yaml.YAMLToJSON([]byte(v.Text)); err == nil {
			raw := json.RawMessage(value)
			v.Value = &raw
		}
		if err := out.Encode(v); err != nil {
			panic(err)
		}
	}
}
