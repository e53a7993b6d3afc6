// Command mpi-operator runs the controller of github.com/kubeflow/mpi-operator without what a test cannot give it:
// the published program listens on port 8080 of every address and waits for a lease before it works.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"github.com/kubeflow/mpi-operator/cmd/mpi-operator/app/options"
	operator "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned"
	operatorscheme "github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	operatorinformers "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	coscheduling "sigs.k8s.io/scheduler-plugins/pkg/generated/clientset/versioned"
	volcano "volcano.sh/apis/pkg/client/clientset/versioned"
)

func main() {
	klog.InitFlags(nil)
	option := options.NewServerOption()
	option.AddFlags(flag.CommandLine)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, option); err != nil {
		klog.Exit(err)
	}
}

func run(ctx context.Context, option *options.ServerOption) error {
	config, err := clientcmd.BuildConfigFromFlags(option.MasterURL, option.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = float32(option.QPS), option.Burst
	if err := operatorscheme.AddToScheme(scheme.Scheme); err != nil { // events name MPIJobs
		return err
	}
	cluster, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	jobs, err := operator.NewForConfig(config)
	if err != nil {
		return err
	}
	var volcanoGroups volcano.Interface
	var coschedulingGroups coscheduling.Interface
	switch option.GangSchedulingName {
	case "":
	case options.GangSchedulerVolcano:
		volcanoGroups, err = volcano.NewForConfig(config)
	default:
		coschedulingGroups, err = coscheduling.NewForConfig(config)
	}
	if err != nil {
		return err
	}
	core := informers.NewSharedInformerFactoryWithOptions(cluster, 0, informers.WithNamespace(option.Namespace))
	own := operatorinformers.NewSharedInformerFactoryWithOptions(
		jobs, 0, operatorinformers.WithNamespace(option.Namespace))
	worker, err := controller.NewMPIJobController(
		ctx, cluster, jobs, volcanoGroups, coschedulingGroups,
		core.Core().V1().ConfigMaps(), core.Core().V1().Secrets(), core.Core().V1().Services(),
		core.Batch().V1().Jobs(), core.Core().V1().Pods(), core.Scheduling().V1().PriorityClasses(),
		own.Kubeflow().V2beta1().MPIJobs(), option)
	if err != nil {
		return err
	}
	core.Start(ctx.Done())
	own.Start(ctx.Done())
	if worker.PodGroupCtrl != nil {
		worker.PodGroupCtrl.StartInformerFactory(ctx.Done())
	}
	return worker.Run(option.Threadiness, ctx.Done())
}
